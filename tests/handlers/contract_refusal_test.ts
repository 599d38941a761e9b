import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import type { Effect } from "../../lib/contract.ts";
import { ContractDataError } from "../../lib/contracts/data.ts";
import { refusalOf } from "../../lib/handlers/contract_refusal.ts";
import type { AmoCrm } from "../../lib/outside/amocrm/amocrm.ts";
import type { NewTask } from "../../lib/outside/amocrm/notes.ts";
import { dealOf } from "./contract_deals.ts";

const { lead } = dealOf();
const lack = (field: string) => new ContractDataError([{ field, problem: "is missing" }]);

/** Carries effects out at once, and keeps their keys and the tasks. */
function teller(addTask: (task: NewTask) => Promise<string> = () => Promise.resolve("1")) {
  const keys: string[] = [];
  const tasks: NewTask[] = [];
  const amocrm = {
    addTask(task: NewTask) {
      tasks.push(task);
      return addTask(task);
    },
  } as AmoCrm;
  const effect = (key: string, { run }: Effect) => {
    keys.push(key);
    return run({ signal: new AbortController().signal, repeat: false });
  };
  return { keys, tasks, clients: { amocrm }, effect };
}

Deno.test("The operator's error names field and deal, and the task is the manager's", async () => {
  const told = teller();
  const { message } = await refusalOf(lack("buyer.inn"), lead, told);
  assertStringIncludes(message, "deal 4521: buyer.inn (ИНН покупателя) is missing; fill it in");
  const [task] = told.tasks;
  assertEquals([task!.leadId, task!.responsibleUserId], ["4521", "9"]);
  assertStringIncludes(task!.text, `[hw:${told.keys[0]}]`);
});

Deno.test("The same lack has the same effect, another lack another one, and so has another deal", async () => {
  const told = teller();
  for (const field of ["buyer.inn", "buyer.inn", "buyer.bik"]) {
    await refusalOf(lack(field), lead, told);
  }
  await refusalOf(lack("buyer.inn"), { ...lead, id: "4522" }, told);
  const [first, again, ...others] = told.keys;
  assertEquals(first, again);
  assertEquals(new Set(told.keys).size, 1 + others.length);
});

Deno.test("A task that is refused for good does not hide why there is no contract; one that may come later is tried again", async () => {
  const refused = teller(() => Promise.reject(new PermanentError("Cannot add a task: no rights")));
  const { message } = await refusalOf(lack("buyer.inn"), lead, refused);
  assert(message.includes("buyer.inn") && message.includes("no rights"), message);
  const down = teller(() => Promise.reject(new TemporaryError("Cannot add a task: 503")));
  await assertRejects(() => refusalOf(lack("buyer.inn"), lead, down), TemporaryError, "503");
});
