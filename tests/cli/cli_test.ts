/** The program as a real process: exit codes, streams, and a reader that goes away. */

import { assert, assertEquals } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { freshApp } from "../support/app.ts";
import { installed, nameWith } from "../support/installed.ts";
import { deliveryRow } from "../support/jobs.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../support/until.ts";
import { environment } from "./support.ts";

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

Deno.test("Ctrl-C ends a replay of many between two events, and the process says how to go on", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow(), deliveryRow(), deliveryRow()]);
  const args = ["replay", "--source", "site", "--from", "1h", "--rate", "0.01", "--yes"];
  await using process = await startProcess({
    name: "cli",
    args: [...ARGS, ...args],
    env: environment(app.config.DATABASE_URL),
  });
  await until(
    "the first event is replayed",
    async () => (await app.rows`select from jobs`).length === 1,
    { within: 30 },
  );
  process.kill("SIGINT");
  process.kill("SIGINT");
  assertEquals(await process.exit, 1);
  assert(/^Interrupted. Go on with: .* --after 1 --rate 0.01$/.test(process.lines.at(-1)!));
  assertEquals(await app.rows`select event_id from jobs`, [{ event_id: "1" }]);
});

/** Of util-linux; that of other systems has other options. */
const script = Deno.build.os === "linux" ? installed("/usr/bin/script") : undefined;

Deno.test({
  name: nameWith({ script }, "On a terminal the process asks, and takes nothing but yes for yes"),
  ignore: script === undefined,
}, async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, status, reason, finished_at) values ('work', 'failed', 'timeout', now())`;
  const command = [Deno.execPath(), ...ARGS, "retry", "--kind", "work", "--since", "1h"].join(" ");
  const answer = async (text: string) => {
    const asked = `echo ${text} | script --quiet --return --command "${command}" /dev/null`;
    await using process = await startProcess({
      name: "cli",
      command: "sh",
      args: ["-c", asked],
      env: { DATABASE_URL: app.config.DATABASE_URL },
    });
    const code = await process.exit;
    return { code, text: process.lines.join("\n") };
  };
  const no = await answer("nay");
  assertEquals(no.code, 1);
  assert(no.text.includes("1 job(s) of the kind work"), no.text);
  assert(no.text.includes("Go on? [y/N]"), no.text);
  assertEquals((await answer("Yes")).code, 0);
  assertEquals(await app.rows`select status from jobs`, [{ status: "pending" }]);
});
