import { assertEquals } from "@std/assert";
import type { AlertOutcome } from "../../lib/contract.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { testApp } from "../support/app.ts";

Deno.test("an outage of ten minutes makes one alert, one more when it is over, and few lines of log", async () => {
  const { app, outage, pass } = watching();
  for (let second = 0; second < 600; second++) {
    for (let n = 0; n < 100; n++) outage.failed(new Error("disk full"));
    await pass(1);
  }
  outage.over();
  assertEquals(app.told, [
    "Hookwork: the worker cannot use the database: disk full",
    "Hookwork: the worker can use the database again, after 600 s",
  ]);
  assertEquals(app.lines.filter((line) => line.level === "error").length, 60);
});

Deno.test("an outage that ends before a human could look alerts nobody", async () => {
  const { app, outage, pass } = watching();
  outage.failed(new Error("restart"));
  await pass(9);
  outage.failed(new Error("restart"));
  outage.over();
  assertEquals(app.told, []);
  assertEquals(app.lines.map(({ level }) => level), ["error", "info"]);
});

Deno.test("two short outages are not one long one", async () => {
  const { app, outage, pass } = watching();
  for (let n = 0; n < 2; n++) {
    outage.failed(new Error("restart"));
    await pass(8);
    outage.over();
  }
  assertEquals(app.told, []);
});

Deno.test("a part whose reads succeed does not end the outage of one whose writes fail", async () => {
  const { app, outage, pass } = watching();
  const tick = outage.part();
  for (let second = 0; second < 120; second++) {
    outage.failed(new Error("disk full"));
    if (second % 30 === 0) tick.over();
    await pass(1);
  }
  outage.over();
  assertEquals(app.told, [
    "Hookwork: the worker cannot use the database: disk full",
    "Hookwork: the worker can use the database again, after 120 s",
  ]);
});

Deno.test("a database that works says nothing", () => {
  const { app, outage } = watching();
  for (let n = 0; n < 1000; n++) outage.over();
  assertEquals([app.told, app.lines], [[], []]);
});

Deno.test("an alert of an outage that certainly did not arrive is sent again after a minute", async () => {
  const outcomes: AlertOutcome[] = [{ is: "failed", why: "refused" }, { is: "sent" }];
  const { app, outage, pass } = watching(() => outcomes.shift()!);
  for (let second = 0; second < 120; second++) {
    outage.failed(new Error("away"));
    await pass(1);
  }
  assertEquals(app.told.length, 2);
  assertEquals(outcomes, []);
});

Deno.test("no secret of an error is told", async () => {
  const { app, outage, pass } = watching();
  outage.failed(new Error("s3cret"));
  await pass(10);
  outage.failed(new Error("s3cret"));
  assertEquals(app.told.length, 1);
  assertEquals(JSON.stringify([app.told, app.lines]).includes("s3cret"), false);
});

function watching(alert?: () => AlertOutcome) {
  const app = testApp({ url: "postgres://nobody@127.0.0.1:1/x", alert });
  let nowMs = 0;
  // Gives the answer of an alert its turn too.
  const pass = async (seconds: number) => {
    nowMs += seconds * 1000;
    await new Promise((turn) => setTimeout(turn));
  };
  return { app, pass, outage: watchOutage(app, "worker", () => nowMs) };
}
