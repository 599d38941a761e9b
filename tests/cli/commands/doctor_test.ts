import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { doctorExitCode, renderDoctor } from "../../../lib/cli/commands/doctor.ts";
import type { Finding } from "../../../lib/flow/finding.ts";
import { freshApp } from "../../support/app.ts";
import { cli } from "../support.ts";

const ok: Finding = { level: "ok", part: "size", detail: "small" };
const look: Finding = { level: "look", part: "events", detail: "4 wait", remedy: "replay them" };
const bad: Finding = { level: "bad", part: "workers", detail: "none", remedy: "start one" };

Deno.test("doctor fails only when something is bad, so that a monitor is not woken for less", () => {
  assertEquals([[ok], [ok, look], [look, bad]].map(doctorExitCode), [0, 0, 1]);
});

Deno.test("doctor says the verdict first, and puts each remedy below what it helps", () => {
  assertEquals(
    renderDoctor([ok, look, bad]),
    [
      "Not well: 1 thing(s) are bad, 1 more to look at.",
      "",
      "OK    size     small",
      "LOOK  events   4 wait",
      "               -> replay them",
      "BAD   workers  none",
      "               -> start one",
    ].join("\n"),
  );
  assert(renderDoctor([ok, look]).startsWith("All seems well: 1 thing(s) to look at.\n"));
  assert(renderDoctor([ok]).startsWith("All is well.\n"));
});

Deno.test("doctor finds that no worker is there, and ends with 1, also as JSON", async () => {
  await using app = await freshApp();
  const now = { now: () => new Date() };
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["doctor"], now);
  assertEquals(exitCode, 1, output);
  assertStringIncludes(output, "BAD   workers         No worker is connected");
  const json = await cli(app.config.DATABASE_URL, ["doctor", "--json"], now);
  const findings = JSON.parse(json.output) as Finding[];
  assertEquals(json.exitCode, 1);
  assertEquals(findings.filter(({ level }) => level === "bad").map(({ part }) => part), [
    "workers",
  ]);
});

Deno.test("doctor says that the database is away in one line, and shows no secret", async () => {
  const { exitCode, output, errors } = await cli("postgres://u:pg-s3cret@127.0.0.1:1/x", [
    "doctor",
  ]);
  assertEquals({ exitCode, output }, { exitCode: 1, output: "" });
  assertStringIncludes(errors, "Cannot use the database");
  assert(!errors.includes("pg-s3cret"));
});
