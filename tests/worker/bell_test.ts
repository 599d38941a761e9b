import { assertEquals } from "@std/assert";
import { createBell } from "../../lib/worker/bell.ts";

const HOUR_MS = 3_600_000;

Deno.test("a ring wakes who waits, and leaves no timer behind", async () => {
  const bell = createBell();
  const waiting = bell.wait(HOUR_MS);
  bell.ring();
  assertEquals(await waiting, true);
});

Deno.test("rings while nobody waits are remembered as one, so no news is missed", async () => {
  const bell = createBell();
  bell.ring();
  bell.ring();
  assertEquals(await bell.wait(HOUR_MS), true);
  assertEquals(await bell.wait(1), false);
});

Deno.test("without a ring the wait ends by itself", async () => {
  assertEquals(await createBell().wait(1), false);
});
