import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Stop } from "../../lib/base/stop.ts";

const WHY = new Error("enough");

Deno.test("a signal that is asked for after the stop is aborted already, or its listener would wait for ever", () => {
  const stop = new Stop();
  stop.now(WHY);
  assert(stop.signal.aborted);
  assertStrictEquals(stop.signal.reason, WHY);
});

Deno.test("a signal that was asked for before is aborted by the stop, and stays the same one", () => {
  const stop = new Stop();
  const { signal } = stop;
  assertEquals(signal.aborted, false);
  stop.now(WHY);
  assertStrictEquals(signal.reason, WHY);
  assertStrictEquals(stop.signal, signal);
});

Deno.test("the first reason stays, and onstop is called once: a shutdown must not overwrite a lost lease", () => {
  const stop = new Stop();
  let calls = 0;
  stop.onstop = () => calls++;
  stop.throwIfStopped();
  stop.now(WHY);
  stop.now(new Error("later"));
  assertEquals([calls, stop.reason, stop.stopped], [1, WHY, true]);
  assertStrictEquals(assertThrows(() => stop.throwIfStopped()), WHY);
});
