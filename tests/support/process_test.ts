/** Real processes: started, read, signalled, and never left behind. */

import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { startProcess } from "./process.ts";

const ECHO = `
  Deno.addSignalListener("SIGTERM", () => Deno.exit(7));
  console.log("ready", Deno.env.get("WORD"));
  console.error("on the other stream");
  setInterval(() => {}, 1000);`;

Deno.test("startProcess() waits until it is ready, and gives lines and the exit code", async () => {
  await using echo = await startProcess({
    name: "echo",
    args: ["eval", ECHO],
    env: { WORD: "hello" },
    ready: /ready/,
  });
  assertEquals(await echo.waitFor(/ready/), "ready hello");
  await echo.waitFor(/other stream/);
  echo.kill("SIGTERM");
  assertEquals(await echo.exit, 7);
  echo.kill("SIGTERM");
});

Deno.test("startProcess() fails with the output when the process ends before it is ready", async () => {
  const error = await assertRejects(
    () =>
      startProcess({
        name: "echo",
        args: ["eval", "console.log('no such thing'); Deno.exit(3)"],
        ready: /ready/,
      }),
    Error,
  );
  assertStringIncludes(error.message, "echo ended without writing /ready/");
  assertStringIncludes(error.message, "no such thing");
});

Deno.test("a test that leaves its scope leaves no process", async () => {
  let pid = 0;
  {
    await using echo = await startProcess({ name: "echo", args: ["eval", ECHO], ready: /ready/ });
    pid = echo.pid;
  }
  assertThrows(() => Deno.kill(pid, 0));
});
