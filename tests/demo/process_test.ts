import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { start } from "../../demo/process.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const env = { PATH: Deno.env.get("PATH") ?? "" };
const startScript = (script: string, lastLine?: RegExp) =>
  start({ name: "script", command: ["sh", "-c", script], env, onLine: () => {}, lastLine });

/** Sends nothing: it only asks whether there is anybody to send to. */
async function exists(pid: number): Promise<boolean> {
  const { success } = await new Deno.Command("kill", { args: ["-0", `${pid}`], stderr: "null" })
    .output();
  return success;
}

Deno.test("start() gives the exit code of a program, and every line of both streams", async () => {
  const script = startScript("echo out; echo err >&2; printf rest; exit 3");
  assertEquals(await script.exit, 3);
  assertEquals(script.lines.toSorted(), ["err", "out", "rest"]);
});

Deno.test("start() gives a program no variable but those it was handed", async () => {
  await using script = startScript("env");
  await script.exit;
  assertEquals(script.lines.filter((line) => line.startsWith("HOME=")), []);
});

Deno.test("stop() lets a program end as it wants, and a stopped program can be stopped again", async () => {
  await using script = startScript("trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done");
  await script.said(/ready/);
  assertEquals(await script.stop(), 7);
  assertEquals(await script.stop(), 7);
});

Deno.test("stop() does not wait for a watcher that never ends by itself", async () => {
  const script = startScript(
    "trap 'echo stopped' TERM; echo ready; while :; do sleep 0.05; done",
    /^stopped$/,
  );
  await script.said(/ready/);
  assertEquals(await script.stop(), 137);
});

Deno.test("said() does not wait for a program that has ended, and shows what it wrote", async () => {
  await using script = startScript("echo a reason; exit 1");
  const error = await assertRejects(() => script.said(/ready/), Error);
  assertMatch(error.message, /ended without saying[^]*a reason/);
});

Deno.test("a started program ends with its starter, even when that is killed without warning", async () => {
  const module = new URL("../../demo/process.ts", import.meta.url).href;
  const code = `
    import { start } from ${JSON.stringify(module)};
    const { pid } = start({ name: "sleep", command: ["sleep", "60"], env: {}, onLine() {} });
    console.log("pid " + pid);
    setInterval(() => {}, 1000);
  `;
  const args = ["eval", "--ext=ts", code];
  await using starter = await startProcess({ name: "starter", args });
  const pid = Number((await starter.waitFor(/^pid \d+/)).slice("pid ".length));
  assertEquals(await exists(pid), true);
  starter.kill("SIGKILL");
  await until("the program has ended", async () => !await exists(pid));
});
