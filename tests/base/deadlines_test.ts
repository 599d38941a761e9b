import { assert, assertEquals } from "@std/assert";
import { createDeadlines } from "../../lib/base/deadlines.ts";

const HOUR_MS = 3_600_000;

Deno.test("a deadline that comes before the one the timer waits for is kept all the same", async () => {
  const deadlines = createDeadlines();
  const far = deadlines.add(HOUR_MS, () => {});
  const startMs = performance.now();
  await new Promise<void>((resolve) => deadlines.add(20, resolve));
  assert(performance.now() - startMs >= 19);
  deadlines.delete(far);
});

Deno.test("those that share a timer come in their turn, and each once", async () => {
  const deadlines = createDeadlines();
  const late: number[] = [];
  const last = Promise.withResolvers<void>();
  for (const ms of [30, 10, 20]) deadlines.add(ms, () => late.push(ms));
  deadlines.add(40, last.resolve);
  await last.promise;
  assertEquals(late, [10, 20, 30]);
});

Deno.test("a deadline that was met is never late, also when the timer was set for it", async () => {
  const deadlines = createDeadlines();
  const late: string[] = [];
  const met = deadlines.add(5, () => late.push("met"));
  const last = new Promise<void>((resolve) => deadlines.add(20, resolve));
  deadlines.delete(met);
  await last;
  assertEquals(late, []);
});

Deno.test("one that is set while others come late is kept", async () => {
  const deadlines = createDeadlines();
  await new Promise<void>((resolve) => deadlines.add(5, () => deadlines.add(5, resolve)));
});

Deno.test("no timer is left when all deadlines are met, or a process could not end", () => {
  // The sanitizer of this test fails for a timer that is left.
  const deadlines = createDeadlines();
  const met = [deadlines.add(HOUR_MS, () => {}), deadlines.add(HOUR_MS, () => {})];
  for (const deadline of met) deadlines.delete(deadline);
});
