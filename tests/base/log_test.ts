import { assert, assertEquals } from "@std/assert";
import { createLog, type LogOptions } from "../../lib/base/log.ts";
import { createRedactor } from "../../lib/base/text.ts";

function logTo(lines: string[], options: Partial<LogOptions> = {}) {
  return createLog({
    format: "json",
    level: "debug",
    redact: createRedactor(["s3cr3t"]),
    write: (line) => lines.push(line),
    now: () => 0,
    ...options,
  });
}

Deno.test("createLog() writes one JSON object a line, with the properties as fields", () => {
  const lines: string[] = [];
  logTo(lines).with({ job: "7" }).warn("it failed\nagain {job}", { attempts: 2 });
  assertEquals(lines.map((line) => JSON.parse(line)), [{
    "@timestamp": "1970-01-01T00:00:00.000Z",
    level: "WARN",
    message: "it failed\nagain {job}",
    logger: "hookwork",
    job: "7",
    attempts: 2,
  }]);
  assert(!lines[0]?.includes("\n"));
});

Deno.test("createLog() drops lines below its level and no others", () => {
  const lines: string[] = [];
  const log = logTo(lines, { level: "warn" });
  for (const write of [log.debug, log.info, log.warn, log.error]) write("line");
  assertEquals(lines.map((line) => JSON.parse(line).level), ["WARN", "ERROR"]);
});

Deno.test("createLog() shows no secret, neither in text nor in an error's cause", () => {
  for (const format of ["json", "text"] as const) {
    const lines: string[] = [];
    const error = new Error("a s3cr3t", { cause: new Error("deep s3cr3t") });
    logTo(lines, { format }).error("with s3cr3t", { error, url: "https://x/s3cr3t", s3cr3t: 1 });
    assert(lines[0]?.includes("deep ***"), lines[0]);
    assert(!lines[0]?.includes("s3cr3t"), lines[0]);
  }
});

Deno.test("createLog() writes an error with its message and stack", () => {
  const lines: string[] = [];
  logTo(lines).error("failed", { error: new TypeError("wrong") });
  const { error } = JSON.parse(lines[0]!);
  assertEquals([error.name, error.message], ["TypeError", "wrong"]);
  assert(error.stack.includes("log_test.ts"));
});

Deno.test("createLog() never throws and loses no line, whatever the properties are", () => {
  const circle: Record<string, unknown> = { id: 1n };
  circle.self = circle;
  const getter = Object.defineProperty({}, "broken", {
    enumerable: true,
    get: () => {
      throw new Error("no value");
    },
  });
  const stubborn = {
    [Symbol.for("Deno.customInspect")]: () => {
      throw new Error("no text");
    },
    toJSON: () => {
      throw new Error("no JSON");
    },
  };
  for (const format of ["json", "text"] as const) {
    for (const properties of [circle, getter, { getter }, { stubborn }, { f: () => 1 }]) {
      const lines: string[] = [];
      logTo(lines, { format }).with({ kept: "this" }).info("line", properties);
      assert(lines.length === 1 && lines[0]?.includes("this"), lines[0]);
      if (format === "json") assertEquals(JSON.parse(lines[0]!).message, "line");
    }
  }
});

Deno.test("createLog() lets no property pose as the level or the message", () => {
  const lines: string[] = [];
  logTo(lines).info("real", { message: "fake", level: "ERROR" });
  const { message, level, message_ } = JSON.parse(lines[0]!);
  assertEquals([message, level, message_], ["real", "INFO", "fake"]);
});

Deno.test("createLog() lets no text control the terminal it is read on", () => {
  for (const format of ["json", "text"] as const) {
    const lines: string[] = [];
    logTo(lines, { format }).info("a\x1b[2J\x9b\u202eb", { name: "\x1b]0;x\x07" });
    // deno-lint-ignore no-control-regex -- controls are what must be absent
    assert(!/[\x00-\x1f\x7f-\x9f\u202e]/.test(lines[0]!), lines[0]);
  }
});

Deno.test("createLog() writes text for people with the properties behind the message", () => {
  const lines: string[] = [];
  logTo(lines, { format: "text" }).info("started", { port: 8080, host: "::1" });
  assertEquals(lines, ["1970-01-01T00:00:00.000Z [INF] started port=8080 host=::1"]);
});
