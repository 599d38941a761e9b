import { assertEquals, assertThrows } from "@std/assert";
import { GRACE_MS as RECEIVER_GRACE_MS } from "../../lib/web/server.ts";
import { GRACE_MS as WORKER_GRACE_MS } from "../../lib/worker/worker.ts";
import { readUnit, unitOf } from "./support/unit_file.ts";

/** More than what a service does after its grace: it writes down, and closes its connections. */
const AFTER_GRACE_MS = 10_000;
/** The most that DRAIN_SECONDS can say. */
const MAX_DRAIN_MS = 60_000;
const UNIT = "[Unit]\nStartLimitIntervalSec=0\n[Service]\nType=exec\nExecStart=/bin/true\n";

Deno.test("systemd's patience with a stop is longer than the program's own, so no healthy job is killed", async () => {
  const receiver = await readUnit("hookwork-receiver@8081.service");
  const worker = await readUnit("hookwork-worker@1.service");
  assertEquals(
    receiver.stopSeconds * 1000 >= MAX_DRAIN_MS + RECEIVER_GRACE_MS + AFTER_GRACE_MS,
    true,
  );
  assertEquals(worker.stopSeconds * 1000 >= WORKER_GRACE_MS + AFTER_GRACE_MS, true);
});

Deno.test("receiver and worker come back for ever, after a pause of seconds", async () => {
  for (const name of ["hookwork-receiver@8081.service", "hookwork-worker@1.service"]) {
    const { restart, restartSeconds, after } = await readUnit(name);
    assertEquals([restart, restartSeconds >= 2 && restartSeconds <= 10], ["always", true]);
    assertEquals(after.includes("hookwork-migrate.service"), true);
  }
});

Deno.test("the receiver's port is its instance's name", async () => {
  const { execStart } = await readUnit("hookwork-receiver@8082.service");
  assertEquals(execStart, [
    "/usr/bin/env",
    "PORT=8082",
    "/opt/hookwork/current/hookwork-receiver",
  ]);
});

for (
  const line of [
    "ExecStartPre=/bin/true",
    "Restrat=always",
    "Environment=A=%h",
    'Environment="A=b c"',
    "EnvironmentFile=-/etc/hookwork/hookwork.env",
    "RestartSec=1min 30s",
    "Restart=on-abort",
    "Environment=A=$B",
    "Environment=",
    "ExecStart=/bin/false",
    "KillSignal=SIGINT",
    "a line",
  ]
) {
  Deno.test(`the supervisor of the tests refuses what it would read otherwise than systemd: ${line}`, () => {
    assertThrows(
      () => unitOf("x.service", "", [`${UNIT}${line}\n`]),
      Error,
      "Cannot follow a unit",
    );
  });
}

Deno.test("the supervisor of the tests refuses a unit that systemd would give up after five quick failures", () => {
  const text = `${UNIT.replace("StartLimitIntervalSec=0", "")}Restart=always\n`;
  assertThrows(() => unitOf("x.service", "", [text]), Error, "StartLimitIntervalSec");
});
