/** The last line of a test run says what the run said. */

import { assertEquals } from "@std/assert";
import { parseSummary } from "./run.ts";

Deno.test("parseSummary() reads the counts from the last summary, with or without colors", () => {
  const plain = "a test ... ok (1ms)\n\nok | 12 passed (3 steps) | 0 failed | 1 ignored (5ms)\n";
  assertEquals(parseSummary(plain), { passed: 12, failed: 0, skipped: 1 });
  const colored = "\x1b[31mFAILED\x1b[0m | 1 passed | 2 failed \x1b[90m(5ms)\x1b[0m\n\n";
  assertEquals(parseSummary(colored), { passed: 1, failed: 2, skipped: 0 });
  const inner = "ok | 9 passed | 0 failed (1ms)\nFAILED | 1 passed | 1 failed (2ms)\n";
  assertEquals(parseSummary(inner), { passed: 1, failed: 1, skipped: 0 });
});

Deno.test("parseSummary() finds none where the tests did not run", () => {
  assertEquals(parseSummary("error: Type checking failed.\n"), undefined);
});
