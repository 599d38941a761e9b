import { assertEquals } from "@std/assert";
import { compileArguments } from "../../deploy/binary.ts";
import { PROGRAMS, readTask } from "../../deploy/programs.ts";

const options = { entry: "main.ts", output: "dist/x", denoFlags: [] };
const permissionsOf = (flags: string[]) =>
  compileArguments({ ...options, flags }).filter((word) => word.startsWith("--allow-"));

Deno.test("compileArguments() takes no .env along: its secrets would stand in the binary", () => {
  const words = compileArguments({ ...options, flags: ["--no-prompt", "--env-file=.env"] });
  assertEquals(words.filter((word) => word.includes("env")), []);
});

Deno.test("compileArguments() needs no permission for what is inside the binary", () => {
  assertEquals(permissionsOf(["--allow-read=migrations"]), []);
  assertEquals(permissionsOf(["--allow-read=lib,migrations,templates"]), []);
});

Deno.test("compileArguments() lets a binary read and write the folder that the operator names, wherever that is", () => {
  assertEquals(permissionsOf(["--allow-read=lib,documents", "--allow-write=documents"]), [
    "--allow-read",
    "--allow-write",
  ]);
});

Deno.test("compileArguments() leaves every other permission as narrow as its task has it", () => {
  const flags = ["--allow-net", "--allow-sys=hostname", "--allow-run=pg_dump", "--allow-env"];
  assertEquals(permissionsOf(flags), flags);
});

Deno.test("compileArguments() writes no code cache, which another user of the machine could replace", () => {
  assertEquals(compileArguments({ ...options, flags: [] }).includes("--no-code-cache"), true);
});

Deno.test("compileArguments() hands on the target, the output and the entry", () => {
  const target = "aarch64-unknown-linux-gnu";
  const words = compileArguments({ ...options, flags: [], target });
  assertEquals(words.slice(-5), ["--target", target, "--output", "dist/x", "main.ts"]);
});

Deno.test("A receiver may write nothing, and no program may start others or do whatever it likes", async () => {
  for (const { task, name } of PROGRAMS) {
    const permissions = permissionsOf([...(await readTask(task)).flags]);
    assertEquals(
      permissions.some((flag) => flag.startsWith("--allow-write")),
      task !== "serve",
      name,
    );
    assertEquals(permissions.filter((flag) => /^--allow-(all|run|ffi)$/.test(flag)), [], name);
  }
});
