import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { startProcess, type TestProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const ENTRY = new URL("../support/watchdog_entry.ts", import.meta.url).pathname;
const SIGKILL = 128 + 9;
const STALL_SECONDS = 0.5;

/** Without any permission: a service has none that would help. */
function start(behaviour: string, format: "json" | "text" = "json"): Promise<TestProcess> {
  return startProcess({
    name: behaviour,
    args: ["run", "--no-prompt", ENTRY, behaviour, format],
  });
}

Deno.test("a process whose event loop stands still is ended, and its last line names the job that did it (rule 7)", async () => {
  const before = new Date().toISOString();
  await using stuck = await start("stand_still");
  assertEquals(await stuck.exit, SIGKILL);
  const { "@timestamp": time, ...line } = JSON.parse(stuck.lines.at(-1)!);
  assertEquals(line, {
    level: "ERROR",
    message: "the event loop stands still, so this process is ended",
    logger: "hookwork",
    process: "hookwork-test",
    seconds: STALL_SECONDS,
    running: "18 report",
  });
  assertLess(before, time);
});

Deno.test("the line of a stall is text where the log is text", async () => {
  await using stuck = await start("stand_still", "text");
  assertEquals(await stuck.exit, SIGKILL);
  assertMatch(stuck.lines.at(-1)!, /^20\d\d-.*Z \[ERR\] the event loop .*running=18 report$/);
});

Deno.test("a loop that never turns because its code awaits without end is a stall too", async () => {
  await using restless = await start("never_rest");
  assertEquals(await restless.exit, SIGKILL);
  assertEquals(JSON.parse(restless.lines.at(-1)!).running, "nothing known");
});

Deno.test("hard work in pieces shorter than a stall is left alone, and a process that is done can end", async () => {
  await using hard = await start("work_hard");
  assertEquals([await hard.exit, hard.lines], [0, ["worked hard"]]);
});

Deno.test("a process that was stopped for longer than a stall goes on: its loop did not stand still by itself", async () => {
  await using told = await start("tell");
  await told.waitFor(/^alive/);
  for (let round = 0; round < 3; round++) {
    told.kill("SIGSTOP");
    // The span is what matters here: two stalls long.
    await new Promise((resolve) => setTimeout(resolve, STALL_SECONDS * 2000));
    const before = told.lines.length;
    told.kill("SIGCONT");
    // Its watchdog has time enough to be wrong: 20 lines are a second.
    await until("it goes on", () => told.lines.length >= before + 20);
  }
});
