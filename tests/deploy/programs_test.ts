import { assertEquals } from "@std/assert";
import { PROGRAMS, readTask } from "../../deploy/programs.ts";

Deno.test("readTask() finds the flags and the file of each program, and no other word", async () => {
  const entries = [];
  for (const { task } of PROGRAMS) {
    const { flags, entry } = await readTask(task);
    assertEquals(flags.filter((flag) => !flag.startsWith("--")), []);
    assertEquals(flags.includes("--no-prompt"), true, "a program would wait for an answer");
    entries.push(entry);
  }
  assertEquals(entries, ["main.ts", "worker.ts", "cli.ts"]);
});
