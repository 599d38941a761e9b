/** A process with a watchdog and nothing else, for `watchdog_test.ts`: its argument says how it behaves. */
// deno-lint-ignore-file no-console -- the test reads what it says

import { startWatchdog } from "../../lib/base/watchdog.ts";

const STALL_MS = 500;
const [behaviour, format] = Deno.args as [keyof typeof BEHAVIOURS, "json" | "text"];
const BEHAVIOURS = {
  /** Stands still in a handler that never awaits. */
  stand_still() {
    watchdog.began("17", "site.form");
    watchdog.began("18", "report");
    watchdog.ended("17");
    for (;;);
  },
  /** Its loop never turns, though its code awaits. */
  async never_rest() {
    for (;;) await undefined;
  },
  /** Works hard, and lets its loop turn now and then. */
  async work_hard() {
    const end = performance.now() + 4 * STALL_MS;
    while (performance.now() < end) {
      busy(STALL_MS / 2);
      await new Promise((resolve) => setTimeout(resolve));
    }
    watchdog[Symbol.dispose]();
    console.log("worked hard");
  },
  /** Says that it is alive, for ever. */
  tell() {
    setInterval(() => console.log(`alive ${performance.now()}`), 50);
  },
};

const watchdog = startWatchdog({
  stallSeconds: STALL_MS / 1000,
  process: "hookwork-test",
  format,
  redact: (text) => text,
});
await BEHAVIOURS[behaviour]();

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
