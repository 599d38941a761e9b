import { assertEquals, assertMatch } from "@std/assert";
import project from "../deno.json" with { type: "json" };
import { version } from "../lib/version.ts";

Deno.test("a program from source says the version of deno.json and that it knows no commit", () => {
  assertMatch(project.version, /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
  assertEquals(version, `${project.version} (from source)`);
});
