import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "zod";
import { SELLER } from "../demo/sample_account.ts";
import { randomSettings } from "../demo/settings.ts";
import { loadConfig, mergeSettings } from "../lib/base/config.ts";
import { ConfigError } from "../lib/base/errors.ts";
import { text } from "../lib/base/settings.ts";
import type { Schedule } from "../lib/contract.ts";
import { defineClient, defineHandler, defineSource } from "../lib/define.ts";

import {
  allSettings,
  checkRegistry,
  type Definitions,
  definitions,
  definitionsInUse,
  exampleEnvironment,
  halfSetUp,
  openRegistry,
  registrySettings,
} from "../lib/registry.ts";
import { deliveryOf } from "./sources/support.ts";

const ENVIRONMENT = {
  ...randomSettings(),
  DATABASE_URL: "postgres://127.0.0.1/any",
  SITE_WEBHOOK_SECRET: "site-secret",
  TELEGRAM_BOT_TOKEN: "123456:KEY",
  TELEGRAM_WEBHOOK_SECRET: "telegram_secret",
  TELEGRAM_ALERT_CHAT_ID: "-4500",
};

const nothing = defineHandler({
  kind: "nothing",
  payload: z.object({}),
  run: () => Promise.resolve(),
});
const handlerOf = (more: Partial<typeof nothing>) => ({ ...nothing, ...more });
const problemsOf = (given: Partial<Definitions>) =>
  checkRegistry({ sources: [], handlers: [nothing], schedules: [], ...given });

function loadAll(given: Definitions, environment: Record<string, string> = ENVIRONMENT) {
  const settings = registrySettings(given).map((group) => group.settings);
  return loadConfig(environment, mergeSettings(...settings));
}

Deno.test("The registry of this program has no problems", () => {
  assertEquals(checkRegistry(definitions), []);
});

Deno.test("openRegistry() gives each source its settings, and finds handlers by kind", () => {
  const registry = openRegistry(loadAll(definitions));
  assertEquals([...registry.sources.keys()], definitions.sources.map(({ name }) => name));
  assertEquals([...registry.handlers.keys()], definitions.handlers.map(({ kind }) => kind));
  assertEquals(registry.handlers.get("heartbeat")?.kind, "heartbeat");
  assertEquals(registry.schedules, definitions.schedules);
  assert(registry.sources.get("site")!.sample().headers["x-signature"]);
});

Deno.test("Every job that a sample leads to has a handler that takes its payload", () => {
  const registry = openRegistry(loadAll(definitions));
  for (const source of registry.sources.values()) {
    const { headers, body } = source.sample();
    const delivery = deliveryOf(body, headers);
    for (const { kind, payload } of source.route(delivery)) {
      assert(registry.handlers.get(kind)!.payload.safeParse(payload).success, kind);
    }
  }
});

Deno.test("A missing secret of any part stops the start, with all of them in one message", () => {
  const error = assertThrows(
    () => loadAll(definitions, { DATABASE_URL: ENVIRONMENT.DATABASE_URL }),
    ConfigError,
  );
  // The seller of the contracts is not needed to start: check asks for it.
  const needed = Object.keys(randomSettings()).filter((name) => !(name in SELLER));
  for (const name of needed) assertStringIncludes(error.message, name);
});

Deno.test("registrySettings() reaches the settings of clients, each client once", () => {
  const client = defineClient({ settings: { C_URL: text("c") }, create: () => ({}) });
  const one = handlerOf({ kind: "one", clients: { c: client } });
  const two = handlerOf({ kind: "two", clients: { c: client }, settings: { TWO: text("two") } });
  assertEquals(
    registrySettings({ sources: [], handlers: [one, two], schedules: [] }).map((group) => [
      group.title,
      Object.keys(group.settings),
    ]),
    [["Service c", ["C_URL"]], ["Handler two", ["TWO"]]],
  );
});

Deno.test("checkRegistry() refuses a second source, handler or schedule of one name", () => {
  const source = defineSource({
    name: "twin",
    settings: {},
    create: () => {
      throw new Error("is not opened here");
    },
  });
  const schedule: Schedule = { name: "twin", kind: "nothing", everyMinutes: 5 };
  assertEquals(problemsOf({ sources: [source, source] }), ['source "twin" is defined twice']);
  assertEquals(problemsOf({ handlers: [nothing, nothing] }), [
    'handler "nothing" is defined twice',
  ]);
  assertEquals(problemsOf({ schedules: [schedule, schedule] }), [
    'schedule "twin" is defined twice',
  ]);
});

Deno.test("checkRegistry() refuses names that would not fit an address or a column", () => {
  for (const kind of ["", "Upper", "1st", "with space", "a/b", "ключ", "x".repeat(64)]) {
    assertEquals(problemsOf({ handlers: [handlerOf({ kind })] }).length, 1, kind);
  }
  for (const kind of ["a", "site.form", "a-b_c.1", "x".repeat(63)]) {
    assertEquals(problemsOf({ handlers: [handlerOf({ kind })] }), [], kind);
  }
});

Deno.test("checkRegistry() refuses a schedule whose kind nobody handles or that never falls due", () => {
  const problems = problemsOf({
    schedules: [
      { name: "a", kind: "unknown", everyMinutes: 5 },
      { name: "b", kind: "nothing", everyMinutes: 0 },
      { name: "c", kind: "nothing", dailyAt: "25:00" },
    ],
  });
  assertEquals(problems.map((problem) => problem.slice(0, 12)), [
    'schedule "a"',
    'schedule "b"',
    'schedule "c"',
  ]);
  assertStringIncludes(problems[0]!, '"unknown"');
});

Deno.test("checkRegistry() refuses deadlines and leases that no timer could hold", () => {
  for (const seconds of [0, -1, NaN, Infinity, 86_401]) {
    for (const name of ["timeoutSeconds", "leaseSeconds"]) {
      const [problem] = problemsOf({ handlers: [handlerOf({ [name]: seconds })] });
      assertStringIncludes(problem ?? "", name);
    }
  }
  const longest = handlerOf({ timeoutSeconds: 86_400, leaseSeconds: 1 });
  assertEquals(problemsOf({ handlers: [longest] }), []);
});

Deno.test("openRegistry() does not start with a broken registry, and names every problem", () => {
  const broken: Definitions = {
    sources: [],
    handlers: [handlerOf({ kind: "Bad" })],
    schedules: [{ name: "a", kind: "unknown", everyMinutes: 5 }],
  };
  const error = assertThrows(() => openRegistry(loadAll(broken), broken), ConfigError);
  assertEquals(error.problems.length, 2);
});

Deno.test("openRegistry() refuses kinds in WORKER_KINDS that nobody handles: such a worker would look idle, not wrong", () => {
  const given: Definitions = { sources: [], handlers: [nothing], schedules: [] };
  const opened = (kinds: string) =>
    openRegistry(loadAll(given, { ...ENVIRONMENT, WORKER_KINDS: kinds }), given);
  const error = assertThrows(() => opened("nothing, nothin,123456:KEY"), ConfigError);
  assertEquals(error.problems, [
    "WORKER_KINDS: value 2 is a kind that no handler has; did you mean nothing?",
    "WORKER_KINDS: value 3 is a kind that no handler has; the kinds are nothing",
  ]);
  assertEquals([...opened("nothing").handlers.keys()], ["nothing"]);
});

Deno.test("openRegistry() refuses sources in EXPECT_EVENTS that there are not: their silence would never be told of", () => {
  const config = loadAll(definitions, { ...ENVIRONMENT, EXPECT_EVENTS: "site:1,sit:2" });
  assertThrows(
    () => openRegistry(config),
    ConfigError,
    "EXPECT_EVENTS: value 2 names a source that is not there; did you mean site?",
  );
});

Deno.test("openRegistry() refuses kinds in SHADOW_KINDS that nobody handles: a misspelt one would do its work for real", () => {
  const given: Definitions = { sources: [], handlers: [nothing], schedules: [] };
  const config = loadAll(given, { ...ENVIRONMENT, SHADOW_KINDS: "nothing, nothin" });
  assertEquals(assertThrows(() => openRegistry(config, given), ConfigError).problems, [
    "SHADOW_KINDS: value 2 is a kind that no handler has; did you mean nothing?",
  ]);
});

const crmAccount = text("The account.");
const crmSecret = text("The secret.");
const crm: Definitions = {
  sources: [{
    ...definitions.sources[0]!,
    name: "crm",
    settings: { CRM_ACCOUNT: crmAccount },
    onlyWith: "CRM_ACCOUNT",
  }],
  handlers: [
    nothing,
    handlerOf({ kind: "deal", settings: { CRM_SECRET: crmSecret }, onlyWith: "CRM_ACCOUNT" }),
  ],
  schedules: [
    { name: "deals", kind: "deal", everyMinutes: 60 },
    { name: "nothing", kind: "nothing", everyMinutes: 60 },
  ],
};

Deno.test("a part that is not switched on asks for no setting, and takes its schedules with it", () => {
  const unsets: Record<string, string>[] = [{}, { CRM_ACCOUNT: " " }];
  for (const unset of unsets) {
    const { sources, handlers, schedules } = definitionsInUse(unset, crm);
    assertEquals([sources.length, handlers.length], [0, 1]);
    assertEquals(schedules.map(({ name }) => name), ["nothing"]);
  }
  assertEquals(definitionsInUse({ CRM_ACCOUNT: "7" }, crm), crm);
  assertEquals(Object.keys(allSettings(crm)).filter((name) => name.startsWith("CRM")).length, 2);
});

Deno.test("a part whose switch was forgotten is told of, not left out in silence", () => {
  const [problem, ...more] = halfSetUp({ CRM_SECRET: "x" }, crm);
  assertEquals(more, []);
  assertStringIncludes(problem!, "CRM_SECRET is set, but not CRM_ACCOUNT");
  assertEquals(halfSetUp({}, crm), []);
  assertEquals(halfSetUp({ CRM_ACCOUNT: "7", CRM_SECRET: "x" }, crm), []);
});

Deno.test(".env.example is what the settings say: write exampleEnvironment() to it when this fails", async () => {
  const committed = await Deno.readTextFile(new URL("../.env.example", import.meta.url));
  assertEquals(committed, exampleEnvironment());
});
