import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  amocrmEvents,
  jobsOf,
  type LeadChange,
  prepareContract,
} from "../../lib/base/amocrm_tasks.ts";

const rule = { account: "hw-sample", pipeline: "70", stage: "75", templateVersion: "v3" };
const moved: LeadChange = {
  action: "status",
  lead: "4521",
  pipeline: "70",
  stage: "75",
  oldPipeline: "70",
  oldStage: "72",
};
const contract = {
  kind: "prepare_contract",
  payload: { account: "hw-sample", lead: "4521", templateVersion: "v3" },
  collapse: "prepare_contract:hw-sample:4521:v3",
};
const jobs = (change: Partial<LeadChange>) => jobsOf([{ ...moved, ...change }], rule);

Deno.test("A deal that comes to the stage gets one contract job, by a move or by being created there", () => {
  assertEquals(jobs({}), [contract]);
  assertEquals(jobs({ action: "add", oldPipeline: "-", oldStage: "-" }), [contract]);
});

Deno.test("The same stage of another pipeline is another stage: 142 is in each of them", () => {
  assertEquals(jobs({ pipeline: "71" }), []);
  assertEquals(jobs({ stage: "142" }), []);
  assertEquals(jobs({ stage: "-" }), []);
  assertEquals(jobs({ pipeline: "-" }), []);
});

Deno.test("An update stands in for a lost move when it says where the deal came from", () => {
  assertEquals(jobs({ action: "update" }), [contract]);
  assertEquals(jobs({ action: "update", oldStage: "-", oldPipeline: "71" }), [contract]);
  assertEquals(jobs({ action: "update", oldStage: "75", oldPipeline: "71" }), [contract]);
});

Deno.test("A corrected sum, and a change of our own, ask for no contract: no loop of hooks", () => {
  assertEquals(jobs({ action: "update", oldStage: "-", oldPipeline: "-" }), []);
  assertEquals(jobs({ action: "update", oldStage: "75", oldPipeline: "70" }), []);
});

Deno.test("Changes of other kinds make no job, also those that are named like what every object has", () => {
  for (const action of ["delete", "restore", "responsible", "note", "toString", "-", ""]) {
    assertEquals(jobs({ action }), [], action);
  }
});

Deno.test("Deals, accounts and templates do not share a key; repeats and moves of one deal do", () => {
  const keys = [
    prepareContract({ lead: "4521" }, rule),
    prepareContract({ lead: "4522" }, rule),
    prepareContract({ lead: "4521" }, { ...rule, account: "other" }),
    prepareContract({ lead: "4521" }, { ...rule, templateVersion: "v4" }),
  ].map(({ collapse }) => collapse);
  assertEquals(new Set(keys).size, keys.length);
  const again = jobsOf([moved, { ...moved, oldStage: "73" }, { ...moved, action: "add" }], rule);
  assertEquals(new Set(again.map(({ collapse }) => collapse)), new Set([contract.collapse]));
});

Deno.test("The job has no key for good: a deal that comes back must find the way free", () => {
  assertEquals(prepareContract(moved, rule).key, undefined);
});

Deno.test("A deal without an id is an error that says so, and not a contract for the deal '-'", () => {
  for (const lead of ["-", "", "abc", "0"]) {
    assertThrows(() => jobs({ lead }), TypeError, "the deal's id");
  }
  assertEquals(jobs({ lead: "-", stage: "72" }), []);
});

Deno.test("What is to be subscribed is what the table uses, and no more", () => {
  assertEquals(amocrmEvents, ["status_lead", "add_lead", "update_lead"]);
  for (const event of amocrmEvents) {
    const [action] = event.split("_");
    assert(jobs({ action }).length === 1, event);
  }
});
