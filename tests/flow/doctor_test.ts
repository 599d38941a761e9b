import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { enqueue } from "../../lib/db/jobs.ts";
import { examine, judge } from "../../lib/flow/doctor.ts";
import type { Level } from "../../lib/flow/finding.ts";
import type { Vitals } from "../../lib/flow/vitals.ts";
import { freshApp, testApp } from "../support/app.ts";
import { emptyDatabase } from "../support/database.ts";
import { handlerOf } from "../support/jobs.ts";

const HEALTHY: Vitals = {
  oldestDueSeconds: 0,
  strangers: [],
  lanes: [],
  held: [],
  leases: { count: 0, oldestSeconds: 0 },
  run: undefined,
  rows: { live: 0, dead: 0, vacuumSeconds: null },
  transaction: undefined,
  sessions: { workers: 9, listening: 1, hidden: 0 },
  clockSeconds: 0,
  alertProblems: [],
  unrouted: 0,
  gaps: [],
  backups: { seconds: 3600, succeeded: true },
  retentionSeconds: 300,
  sizes: [{ table: "jobs", bytes: 1_250_000 }],
};
const LIMITS = { BACKUP_ALERT_HOURS: 48, DB_POOLER: false, OLDEST_DUE_ALERT_MINUTES: 10 };

const stranger = (oldestSeconds: number) => [{ kind: "gone", count: 3, oldestSeconds }];
const run = (seconds: number) => (
  { id: "7", kind: "work", lockedBy: "host/1", seconds, deadlineSeconds: 60 }
);
const open = (seconds: number) => (
  { pid: 42, application: "psql", role: "ada", state: "active", seconds, statementSeconds: 1 }
);
const rows = (live: number, dead: number) => ({ live, dead, vacuumSeconds: 5 });
const sessions = (workers: number, listening: number, hidden = 0) => (
  { workers, listening, hidden }
);

const lane = (sinceSeconds: number, name = "telegram") => [{
  name,
  sinceSeconds,
  since: new Date(0),
  pausedUntil: null,
  paused: true,
  reason: "answered 401",
  pauses: 1,
  rate: null,
}];
const gap = (lasting: boolean) => [{
  source: "site",
  count: 2,
  lasting,
  seconds: 420,
  ageSeconds: 7200,
  reason: "no receiver was there",
}];
const holder = (status: string) => [{
  entity: "lead:1",
  jobId: "7",
  kind: "work",
  status,
  attempts: 3,
  lastError: "boom",
  runAt: new Date(0),
  followers: 12,
}];

/** What differs from a healthy system, the part that must show it, how, and in which words. */
const CASES: [Partial<Vitals>, part: string, Level, words: string][] = [
  [{ oldestDueSeconds: 59 }, "oldest due job", "ok", "more than a minute"],
  [{ oldestDueSeconds: 60 }, "oldest due job", "look", "1 minutes"],
  [{ oldestDueSeconds: 600 }, "oldest due job", "bad", "10 minutes"],
  [{ strangers: stranger(599) }, "kinds", "look", "3 of gone"],
  [{ strangers: stranger(600) }, "kinds", "bad", "3 of gone"],
  [{ leases: { count: 2, oldestSeconds: 29 } }, "leases", "ok", "No lease"],
  [{ leases: { count: 2, oldestSeconds: 90 } }, "leases", "bad", "2 lease(s) are over"],
  [{ run: run(119) }, "longest run", "ok", "Job 7 (work) has been running for 1 min 59 s"],
  [{ run: run(120) }, "longest run", "look", "its deadline is 1 min"],
  [{ lanes: lane(599) }, "lanes", "look", "telegram has been holding its jobs for 9 min"],
  [{ lanes: lane(600) }, "lanes", "bad", "answered 401"],
  [{ lanes: lane(6000, "telegram:1") }, "lanes", "look", "telegram:1"],
  [{ held: holder("running") }, "held entities", "ok", "No job waits"],
  [{ held: holder("pending") }, "held entities", "look", "12 of lead:1 for job 7 after 3"],
  [{ sessions: sessions(0, 0) }, "workers", "bad", "No worker is connected"],
  [{ sessions: sessions(2, 0) }, "workers", "look", "No worker listens"],
  [{ sessions: sessions(2, 0, 2) }, "workers", "ok", "cannot be seen"],
  [{ alertProblems: ["bad token"] }, "alerts", "bad", "Alerts do not arrive: bad token"],
  [{ unrouted: 4 }, "events", "look", "4 event(s)"],
  [{ gaps: gap(false) }, "gaps", "look", "site may have been lost: 2 gap(s) of 7 min are open"],
  [{ gaps: gap(true) }, "gaps", "bad", "Deliveries of site have not come for 2 h: no receiver"],
  [{ transaction: open(59) }, "transactions", "ok", "No transaction"],
  [{ transaction: open(60) }, "transactions", "look", "Session 42 (psql, role ada)"],
  [{ transaction: open(600) }, "transactions", "bad", "open for 10 min: active"],
  [{ sessions: sessions(2, 1, 3) }, "transactions", "ok", "3 session(s) of other roles"],
  [{ rows: rows(1_000_000, 200_000) }, "vacuum", "ok", "last vacuumed 5 s ago"],
  [{ rows: rows(0, 10_000) }, "vacuum", "look", "10000 dead rows beside 0"],
  [{ rows: rows(1_000_000, 2_100_000) }, "vacuum", "bad", "2100000 dead rows"],
  [{ backups: { seconds: null, succeeded: false } }, "backups", "look", "No regular backup was"],
  [{ backups: { seconds: 172_799, succeeded: true } }, "backups", "ok", "1 d 23 h ago"],
  [{ backups: { seconds: 172_800, succeeded: true } }, "backups", "bad", "2 d ago"],
  [{ backups: { seconds: 172_800, succeeded: false } }, "backups", "bad", "first one was begun"],
  [{ retentionSeconds: 90_000 }, "retention", "look", "1 d 1 h ago"],
  [{ clockSeconds: -4.9 }, "clock", "ok", "4.9 s behind"],
  [{ clockSeconds: 5 }, "clock", "look", "5.0 s ahead of"],
  [{ clockSeconds: -60 }, "clock", "bad", "60.0 s behind"],
];

for (const [change, part, level, words] of CASES) {
  Deno.test(`the doctor calls it ${level}: ${JSON.stringify(change)}`, () => {
    const findings = judge({ ...HEALTHY, ...change }, LIMITS);
    const found = findings.find((finding) => finding.part === part)!;
    assertEquals(found.level, level);
    assertStringIncludes(found.detail, words);
    const others = findings.filter((finding) => finding.part !== part);
    assertEquals(others.filter((other) => other.level !== "ok"), []);
  });
}

Deno.test("the doctor has a remedy for all that is not well, and none for what is", () => {
  const findings = CASES.flatMap(([change]) => judge({ ...HEALTHY, ...change }, LIMITS));
  const wrong = findings.filter(({ level, remedy }) => (level === "ok") !== (remedy === undefined));
  assertEquals(wrong, []);
});

Deno.test("behind a pooler the doctor does not miss the listener that cannot be there", () => {
  const vitals = { ...HEALTHY, sessions: sessions(0, 0) };
  const findings = judge(vitals, { ...LIMITS, DB_POOLER: true });
  assertEquals(findings.filter(({ level }) => level !== "ok"), []);
});

Deno.test("the doctor examines a real database, and finds what is wrong with it", async () => {
  const work = handlerOf(() => Promise.resolve());
  await using app = await freshApp({ handlers: [work] });
  await enqueue(app.db, { kind: "work" });
  await enqueue(app.db, { kind: "gone" });
  await app.rows`update jobs set run_at = now() - interval '11 minutes'`;
  const findings = await examine(app, () => Date.now() - 3_600_000);
  const notWell = findings.filter(({ level }) => level !== "ok");
  assertEquals(notWell.map(({ part, level }) => [part, level]), [
    ["oldest due job", "bad"],
    ["kinds", "bad"],
    ["workers", "bad"],
    ["backups", "look"],
    ["clock", "bad"],
  ]);
  const clock = findings.find(({ part }) => part === "clock")!;
  assert(/is 3[56]\d\d\.\d s ahead/.test(clock.detail), clock.detail);
});

Deno.test("the doctor stops at a database without the tables of this version, instead of failing on them", async () => {
  await using database = await emptyDatabase();
  await using app = testApp({ url: database.url });
  const findings = await examine(app);
  assertEquals(findings.map(({ part, level, remedy }) => [part, level, remedy]), [
    ["migrations", "bad", "hookwork migrate"],
  ]);
});
