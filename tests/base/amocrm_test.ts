import { assert, assertEquals } from "@std/assert";
import { amocrmAccount, amocrmWebhookSecret, contractStage, isId } from "../../lib/base/amocrm.ts";
import { loadConfig } from "../../lib/base/config.ts";
import { ConfigError } from "../../lib/base/errors.ts";
import type { Settings } from "../../lib/setting.ts";

const SECRET = "0123456789abcdefghijABCDEFGHIJ_-";

/** The value that a text yields, or what is wrong with it. */
function read(settings: Settings, value: string | undefined): unknown {
  const [name] = Object.keys(settings);
  const given: Record<string, string> = value === undefined ? {} : { [name!]: value };
  try {
    return loadConfig({ DATABASE_URL: "postgres://127.0.0.1/x", ...given }, settings)[name!];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join();
    throw error;
  }
}

Deno.test("AMOCRM_WEBHOOK_SECRET takes long secrets that need no encoding in a path, several while they change", () => {
  const setting = { AMOCRM_WEBHOOK_SECRET: amocrmWebhookSecret };
  const old = SECRET.toLowerCase();
  assertEquals(read(setting, SECRET), [SECRET]);
  assertEquals(read(setting, `${SECRET},${old}`), [SECRET, old]);
  const unfit = [
    "short",
    SECRET.slice(1),
    `${SECRET}/x`,
    `${SECRET}?x`,
    `${SECRET}%2F`,
    `${SECRET}é`,
  ];
  for (const value of [...unfit, `${SECRET},${SECRET.slice(1)}`]) {
    const problem = `${read(setting, value)}`;
    assert(problem.includes("must be 32 to 200 of the characters"), problem);
    assert(!problem.includes(value.slice(0, 20)), "the message repeats the secret");
  }
  for (const value of [undefined, "", `${SECRET},`]) {
    assert(typeof read(setting, value) === "string", value);
  }
});

Deno.test("AMOCRM_ACCOUNT takes a subdomain or a number, and no host, which is only right for one of the two", () => {
  const setting = { AMOCRM_ACCOUNT: amocrmAccount };
  assertEquals(read(setting, "HW-Sample"), "hw-sample");
  assertEquals(read(setting, "31700412"), "31700412");
  for (const value of ["hw.amocrm.ru", "https://hw.amocrm.ru", "-", "a b"]) {
    assert(`${read(setting, value)}`.includes("neither a subdomain nor a number"), value);
  }
});

Deno.test("The ids of pipeline and stage are digits, and both are needed: stage 142 is in every pipeline", () => {
  const { AMOCRM_CONTRACT_STAGE_ID } = contractStage;
  assertEquals(read({ AMOCRM_CONTRACT_STAGE_ID }, "142"), "142");
  for (const value of ["", "0", "Contract", "142.0", "-1"]) {
    assert(/AMOCRM_CONTRACT_STAGE_ID/.test(`${read({ AMOCRM_CONTRACT_STAGE_ID }, value)}`), value);
  }
});

Deno.test("isId() takes digits as amoCRM writes them, and nothing that would make a second key of one id", () => {
  for (const id of ["1", "142", "40510023"]) assert(isId(id), id);
  for (const id of ["", "-", "0", "007", "1.0", " 1", "1e3", "9".repeat(20)]) assert(!isId(id), id);
});
