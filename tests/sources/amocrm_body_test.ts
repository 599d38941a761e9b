import { assertEquals } from "@std/assert";
import { parsePhpForm } from "../../lib/base/php_form.ts";
import { accountOf, isAccount, leadChangesOf } from "../../lib/sources/amocrm_body.ts";

const form = (pairs: Record<string, string>) =>
  parsePhpForm(new TextEncoder().encode(new URLSearchParams(pairs).toString()));
const nothingKnown = { pipeline: "-", stage: "-", oldPipeline: "-", oldStage: "-" };

Deno.test("leadChangesOf() reads every deal of every action, also when their numbers have holes", () => {
  const changes = leadChangesOf(form({
    "leads[status][0][id]": "11",
    "leads[status][0][pipeline_id]": "70",
    "leads[status][0][status_id]": "75",
    "leads[status][0][old_status_id]": "72",
    "leads[status][7][id]": "12",
    "leads[status][7][old_pipeline_id]": "71",
    "leads[add][0][id]": "13",
    "contacts[update][0][id]": "14",
    "task[add][0][id]": "15",
  }));
  assertEquals(changes, [
    { action: "status", lead: "11", pipeline: "70", stage: "75", oldPipeline: "-", oldStage: "72" },
    { ...nothingKnown, action: "status", lead: "12", oldPipeline: "71" },
    { ...nothingKnown, action: "add", lead: "13" },
  ]);
});

Deno.test("leadChangesOf() knows one value for what is missing, empty, blank, or no text", () => {
  for (const name of ["[other]", "[status_id]", "[status_id][a][b]"]) {
    for (const value of ["", "  "]) {
      const [change] = leadChangesOf(
        form({ "leads[status][0][id]": "11", [`leads[status][0]${name}`]: value }),
      );
      assertEquals(change, { ...nothingKnown, action: "status", lead: "11" });
    }
  }
});

Deno.test("leadChangesOf() is not upset by a note, nor by shapes that nobody has seen", () => {
  assertEquals(
    leadChangesOf(form({ "leads[note][0][note][id]": "5", "leads[note][0][note][text]": "a" })),
    [
      { ...nothingKnown, action: "note", lead: "-" },
    ],
  );
  const odd = ["", "leads=1", "leads[status]=1", "leads[]=1", "other[a][0][id]=1"];
  for (const text of odd) {
    assertEquals(leadChangesOf(parsePhpForm(new TextEncoder().encode(text))), []);
  }
  assertEquals(
    leadChangesOf(form({ "leads[status][0]": "1", "leads[status][0][id]": "11" }))[0]!.lead,
    "11",
  );
});

Deno.test("accountOf() reads what there is: some deliveries name the account in one way only", () => {
  assertEquals(accountOf(form({ "account[id]": "317", "account[subdomain]": "HW-Sample" })), {
    id: "317",
    subdomain: "hw-sample",
  });
  assertEquals(accountOf(form({ "account[subdomain]": "hw" })), { id: "-", subdomain: "hw" });
  assertEquals(accountOf(form({ account: "hw" })), { id: "-", subdomain: "-" });
});

Deno.test("isAccount() goes by the number or the subdomain, whichever AMOCRM_ACCOUNT names", () => {
  const body = { id: "317", subdomain: "hw" };
  assertEquals(["317", "hw", "318", "h"].map((account) => isAccount(body, account)), [
    true,
    true,
    false,
    false,
  ]);
});
