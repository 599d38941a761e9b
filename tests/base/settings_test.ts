import { assert, assertEquals } from "@std/assert";
import {
  choice,
  expectations,
  flag,
  integer,
  list,
  networks,
  optionalSecret,
  optionalText,
  optionalUrl,
  secret,
  secrets,
  standardWebhooksSecrets,
  text,
  timeZone,
  url,
} from "../../lib/base/settings.ts";
import type { Setting } from "../../lib/setting.ts";

function problemsOf(setting: Setting<unknown>, value: string | undefined): string[] {
  return setting.schema.safeParse(value).error?.issues.map((issue) => issue.message) ?? [];
}

function assertRefused(setting: Setting<unknown>, value: string | undefined, why: RegExp): void {
  const problems = problemsOf(setting, value);
  assert(problems.some((problem) => why.test(problem)), `${value}: ${problems}`);
}

Deno.test("secret() refuses an unset, empty or blank secret, with which anybody could sign", () => {
  assertRefused(secret("x"), undefined, /not set/);
  assertRefused(secret("x"), "", /empty/);
  assertRefused(secret("x"), "   ", /blank/);
  assertEquals(secret("x").schema.parse("k1"), "k1");
});

Deno.test("optionalSecret() takes empty for unset, as an example that was copied has it, and a blank one for a slip", () => {
  const setting = optionalSecret("x");
  assertEquals([undefined, ""].map((text) => setting.schema.parse(text)), [undefined, undefined]);
  assertRefused(setting, "  ", /blank/);
  assertRefused(setting, "k1\n", /white space or a line end/);
  assertEquals([setting.schema.parse("k1"), setting.secret], ["k1", true]);
});

Deno.test("secret() refuses white space at either end instead of trimming it in one place only", () => {
  for (const value of ["k1\n", "k1\r\n", " k1", "k1 ", "\tk1"]) {
    assertRefused(secret("x"), value, /white space or a line end/);
  }
});

Deno.test("secret() refuses a line end inside, as two pasted lines have it", () => {
  assertRefused(secret("x"), "abc\ndef", /control character/);
});

Deno.test("url() refuses a bare % in a password, which nothing could decode later", () => {
  assertRefused(url("x"), "http://user:p%zz@host", /write it as %25/);
  assertEquals(url("x").schema.parse("http://user:p%25zz@host"), "http://user:p%25zz@host");
});

Deno.test("secrets() takes an old and a new secret for the time of a rotation", () => {
  assertEquals(secrets("x").schema.parse("new,old"), ["new", "old"]);
  assertEquals(secrets("x").schema.parse("only"), ["only"]);
});

Deno.test("secrets() checks every part, so that no stray comma adds an empty secret", () => {
  for (const value of ["", "new,", ",old", "new,,old"]) assertRefused(secrets("x"), value, /empty/);
  assertRefused(secrets("x"), "new, old", /white space/);
  assertRefused(secrets("x"), undefined, /not set/);
  assertEquals(secrets("x").schema.safeParse("new,").error?.issues[0]?.path, [1]);
});

Deno.test("standardWebhooksSecrets() yields the decoded keys", () => {
  const key = new Uint8Array(24).map((_, index) => index);
  const written = `whsec_${key.toBase64()}`;
  assertEquals(standardWebhooksSecrets("x").schema.parse(`${written},${written}`), [key, key]);
});

Deno.test("standardWebhooksSecrets() refuses what decodes to an empty or guessable key", () => {
  const setting = standardWebhooksSecrets("x");
  for (const value of ["whsec_!!!!", "whsec_", "whsec_AA AA", "whsec_AAAAA", "whsec_AA=A"]) {
    assertRefused(setting, value, /not whsec_ followed by base64/);
  }
  // Sixteen bytes whose padding got lost, as by a careless selection.
  assertRefused(setting, `whsec_${"A".repeat(22)}`, /not whsec_ followed by base64/);
  assertRefused(setting, "v1,whsec_AAAA", /does not begin with whsec_; .*"v1,"/);
  assertRefused(setting, "whsec_AAAA", /holds 3 bytes; use at least 16/);
  assertRefused(setting, "", /empty/);
});

Deno.test("no message repeats the value, which may be a secret in the wrong variable", () => {
  const value = "s3cr3t-Value";
  const settings: Setting<unknown>[] = [
    standardWebhooksSecrets("x"),
    integer("x", { default: 1, min: 0, max: 9 }),
    url("x"),
    flag("x"),
    choice("x", { of: ["a", "b"], default: "a" }),
    timeZone("x", { default: "UTC" }),
  ];
  for (const setting of settings) {
    const problems = problemsOf(setting, value);
    assert(problems.length > 0);
    assert(!problems.join().includes(value), problems.join());
  }
});

Deno.test("secrets have no sample that could be left in place", () => {
  for (const make of [secret, secrets, standardWebhooksSecrets]) {
    assertEquals([make("x").example, make("x").secret], ["", true]);
  }
});

Deno.test("text() is required unless it has a default, and never blank", () => {
  assertRefused(text("x"), undefined, /not set/);
  assertRefused(text("x"), "", /not set/);
  assertRefused(text("x"), "  ", /blank/);
  assertEquals(text("x", { default: "d" }).schema.parse(""), "d");
  assertEquals(text("x", { default: "d" }).schema.parse(" v "), "v");
});

Deno.test("an empty optional variable counts as unset", () => {
  assertEquals(optionalText("x").schema.parse(""), undefined);
  assertEquals(optionalText("x").schema.parse("v"), "v");
  assertEquals(optionalUrl("x").schema.parse(""), undefined);
  assertEquals(optionalUrl("x").schema.parse(undefined), undefined);
});

Deno.test("integer() takes whole numbers within its limits and nothing that looks like one", () => {
  const setting = integer("x", { default: 5, min: -1, max: 200 });
  for (const unset of [undefined, ""]) assertEquals(setting.schema.parse(unset), 5);
  assertEquals(["-1", "0", "200"].map((value) => setting.schema.parse(value)), [-1, 0, 200]);
  for (const value of ["201", "-2", "1.5", "1e2", "0x10", " 1", "ten", "9".repeat(400)]) {
    assertRefused(setting, value, /whole number from -1 to 200/);
  }
});

Deno.test("url() takes only the protocols it was made for", () => {
  assertEquals(url("x").schema.parse("https://example.org/a"), "https://example.org/a");
  assertRefused(url("x"), undefined, /not set/);
  for (const value of ["example.org", "ftp://example.org", "javascript:alert(1)"]) {
    assertRefused(url("x"), value, /begins with http:\/\/ or https:\/\//);
    assertRefused(optionalUrl("x"), value, /begins with/);
  }
  const database = url("x", { protocols: ["postgres"], secret: true });
  assertEquals(database.schema.parse("postgres://u:p@h:5432/d"), "postgres://u:p@h:5432/d");
  assertRefused(database, "postgresx://h/d", /postgres:\/\//);
  assert(database.secret);
});

Deno.test("flag() takes no unclear word for false", () => {
  const read = (value?: string) => flag("x").schema.parse(value);
  assertEquals([read(), read(""), read("true"), read("1"), read("off")], [
    false,
    false,
    true,
    true,
    false,
  ]);
  assertRefused(flag("x"), "ja", /true or false/);
});

Deno.test("list() drops what is empty between its commas", () => {
  assertEquals(list("x").schema.parse(" a, b,,"), ["a", "b"]);
  assertEquals(list("x").schema.parse(undefined), []);
});

Deno.test("choice() and timeZone() fall back to their default and refuse what they do not know", () => {
  const setting = choice("x", { of: ["json", "text"], default: "json" });
  assertEquals(setting.schema.parse(""), "json");
  assertRefused(setting, "xml", /one of json, text/);
  const zone = timeZone("x", { default: "UTC" });
  assertEquals([zone.schema.parse(undefined), zone.schema.parse("Asia/Tokyo")], [
    "UTC",
    "Asia/Tokyo",
  ]);
  assertRefused(zone, "Mars/Base", /IANA/);
});

Deno.test("expectations() reads sources with their hours, and refuses what would never be looked at", () => {
  const { schema } = expectations("Any.");
  assertEquals(schema.parse("amocrm:12, site:48"), [
    { source: "amocrm", hours: 12 },
    { source: "site", hours: 48 },
  ]);
  assertEquals(schema.parse(undefined), []);
  for (const wrong of ["amocrm", "amocrm:0", "amocrm:8761", "amocrm:1.5", ":3", "a:1;b:2"]) {
    assertEquals(schema.safeParse(wrong).success, false, wrong);
  }
});

Deno.test("networks() reads addresses and networks, and refuses a name or what is no network: it would trust nobody, or all", () => {
  const { schema } = networks("Any.");
  assertEquals(schema.parse("127.0.0.1, 10.0.0.0/8,::1"), ["127.0.0.1", "10.0.0.0/8", "::1"]);
  assertEquals(schema.parse(undefined), []);
  for (const wrong of ["localhost", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "::1/129", "a,::1"]) {
    assertRefused(networks("Any."), wrong, /address or a network/);
  }
});
