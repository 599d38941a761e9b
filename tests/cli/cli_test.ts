/** The program as a real process: exit codes, streams, and a reader that goes away. */

import { assert, assertEquals } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { freshApp } from "../support/app.ts";
import { deliveryRow } from "../support/jobs.ts";
import { startProcess } from "../support/process.ts";

const CLI = new URL("../../cli.ts", import.meta.url).pathname;
const ARGS = ["run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", CLI];

Deno.test("the process ends with the command's exit code, and writes nothing but its answer", async () => {
  await using app = await freshApp();
  const env = { DATABASE_URL: app.config.DATABASE_URL };
  const codes: number[] = [];
  for (const args of [["failed"], ["job", "5"], ["job", "five"], ["status"]]) {
    await using process = await startProcess({ name: "cli", args: [...ARGS, ...args], env });
    codes.push(await process.exit);
    if (args[0] === "failed") assertEquals(process.lines, ["No job is given up."]);
  }
  assertEquals(codes, [0, 1, 2, 78]);
});

Deno.test("the process says in one line that the database is away, and shows no password", async () => {
  const env = { DATABASE_URL: "postgres://hookwork:pg-s3cret@127.0.0.1:1/hookwork" };
  await using process = await startProcess({ name: "cli", args: [...ARGS, "failed"], env });
  assertEquals(await process.exit, 1);
  assertEquals(process.lines.length, 1);
  assert(!process.lines[0]!.includes("pg-s3cret"));
});

Deno.test("a reader that goes away in the middle of the output, as head does, is no error", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow({ body: new Uint8Array(2 ** 20).fill(46) })]);
  const command = [Deno.execPath(), ...ARGS, "event", "1", "--raw"].map((arg) => `'${arg}'`).join(
    " ",
  );
  await using process = await startProcess({
    name: "cli",
    command: "sh",
    args: ["-c", `{ ${command}; echo "ended with $?" >&2; } | head -c 3`],
    env: { DATABASE_URL: app.config.DATABASE_URL },
  });
  await process.exit;
  assertEquals(process.lines.toSorted(), ["...", "ended with 0"]);
});
