import { assert, assertEquals, assertNotEquals } from "@std/assert";
import {
  createRedactor,
  cutText,
  printable,
  storableText,
  storedKey,
} from "../../lib/base/text.ts";

const FAMILY = "👨‍👩‍👧";

Deno.test("cutText() keeps a text that fits and never exceeds the limit", () => {
  assertEquals(cutText("abc", 3), "abc");
  assertEquals(cutText("abcd", 3), "ab…");
  assertEquals(cutText("abcd", 1), "…");
  assertEquals(cutText("abcd", 0), "");
  assertEquals(cutText("a".repeat(20_000), 4096).length, 4096);
});

Deno.test("cutText() splits no surrogate pair and no emoji of several people", () => {
  for (let units = 0; units < 12; units++) {
    const cut = cutText(`ab${FAMILY}cd`, units);
    assert(cut.length <= units && cut.isWellFormed());
    assert(["", "…", "a…", "ab…", `ab${FAMILY}…`].includes(cut), cut);
  }
  const late = `${"x".repeat(500)}${FAMILY}${"y".repeat(500)}`;
  assertEquals(cutText(late, 504), `${"x".repeat(500)}…`);
});

Deno.test("cutText() cuts even one endless character, at a surrogate pair's edge", () => {
  const endless = "e" + "\u0301".repeat(1000);
  assertEquals(cutText(endless, 500).length, 500);
  for (const units of [300, 301]) {
    const cut = cutText("👍" + "\u{e0061}".repeat(1000), units);
    assert(cut.isWellFormed() && cut.length > 250 && cut.length <= units);
  }
});

Deno.test("storableText() gives Postgres neither a zero byte nor half a character", () => {
  assertEquals(storableText("a\0b\ud800c", 10), "a\ufffdb\ufffdc");
  assertEquals(storableText("abcdef", 4), "abc…");
});

Deno.test("printable() lets no text move the cursor or reverse the reading direction", () => {
  assertEquals(printable("a\x1b[2J\x07\x7f\x9b1mb"), "a\\u001b[2J\\u0007\\u007f\\u009b1mb");
  assertEquals(printable("\u202egpj.exe\u2066"), "\\u202egpj.exe\\u2066");
  assertEquals(printable("\ud800"), "\\ud800");
  assertEquals(printable(`Привет, ${FAMILY}!`), `Привет, ${FAMILY}!`);
});

Deno.test("printable() shows a line feed as an escape unless lines are wanted", () => {
  assertEquals(printable("a\r\n\tb"), "a\\r\\n\\tb");
  assertEquals(printable("a\r\nb", { lines: true }), "a\\r\nb");
});

Deno.test("createRedactor() hides a secret in every form in which a log can show it", () => {
  const secret = 'p@ss "word"+1';
  const redact = createRedactor([secret]);
  const written = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify({ secret }),
    String(
      new URLSearchParams({ secret }),
    ),
  ];
  for (const text of written) {
    const redacted = redact(`a ${text} b`);
    assert(redacted.includes("***") && !redacted.includes("word"), redacted);
  }
});

Deno.test("createRedactor() hides the longer of two secrets whole when one begins with the other", () => {
  assertEquals(createRedactor(["token", "token-2"])("token-2, token"), "***, ***");
});

Deno.test("createRedactor() takes a secret for a text, not for a pattern", () => {
  assertEquals(createRedactor(["a.*b"])("axxb a.*b"), "axxb ***");
});

Deno.test("createRedactor() leaves text readable when a secret is short or there is none", () => {
  assertEquals(createRedactor(["a", "", "old"])("an old banana"), "an old banana");
  assertEquals(createRedactor([])("text"), "text");
});

Deno.test("storedKey() keeps what an index takes, to the last character", () => {
  for (const key of ["", "lead:1", "ключ", "k".repeat(200)]) assertEquals(storedKey(key), key);
});

Deno.test("storedKey() gives keys that Postgres would refuse a hash each, and never one for two", () => {
  const keys = [
    "k".repeat(201),
    "k".repeat(202),
    "a\0",
    "a\0\0",
    "a\ud800",
    "a\ud801",
    "a\ufffd\0",
  ];
  const stored = keys.map(storedKey);
  for (const key of stored) assert(/^sha256:[0-9a-f]{64}$/.test(key), key);
  assertEquals(new Set(stored).size, keys.length);
  assertEquals(storedKey("a\0"), storedKey("a\0"));
  assertNotEquals(storedKey("a\ud800"), storedKey("a\ufffd"));
});
