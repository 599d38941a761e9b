import { assert, assertEquals } from "@std/assert";
import { createHmac } from "node:crypto";
import {
  hmacProof,
  secretHeaderProof,
  secretPathProof,
  standardWebhooksProof,
  stripeProof,
  timestampedProof,
} from "../../lib/base/proof.ts";
import type { Proof } from "../../lib/contract.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const sign = (key: string | Uint8Array, text: string, encoding: "hex" | "base64" = "hex") =>
  createHmac("sha256", key).update(text).digest(encoding);

function assertRefused(proof: Proof, why: RegExp | string = /./): void {
  assert(!proof.ok && new RegExp(why).test(proof.why), JSON.stringify(proof));
}

const GITHUB = {
  body: bytes("Hello, World!"),
  secrets: ["It's a Secret to Everybody"],
  prefix: "sha256=",
};
const GITHUB_HEX = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

Deno.test("hmacProof() agrees with the example that GitHub publishes", () => {
  const proof = hmacProof({ ...GITHUB, signature: `sha256=${GITHUB_HEX}` });
  assertEquals(proof, { ok: true, secret: 0 });
});

Deno.test("hmacProof() accepts upper-case digits", () => {
  assert(hmacProof({ ...GITHUB, signature: `sha256=${GITHUB_HEX.toUpperCase()}` }).ok);
});

Deno.test("hmacProof() refuses a missing or blank signature, and has no unsigned way in", () => {
  for (const signature of [null, ""]) assertRefused(hmacProof({ ...GITHUB, signature }), "missing");
  assertRefused(hmacProof({ ...GITHUB, signature: "  " }));
});

Deno.test("hmacProof() never throws at a signature of another length or form", () => {
  const broken = [
    "sha256=",
    GITHUB_HEX,
    `sha256=${GITHUB_HEX.slice(1)}`,
    `sha256=${GITHUB_HEX}0`,
    `sha256=${"z".repeat(64)}`,
    `sha256=${"é".repeat(64)}`,
    `sha256=${GITHUB_HEX}\n`,
    `sha256=${Uint8Array.fromHex(GITHUB_HEX).toBase64()}`,
    `sha1=${GITHUB_HEX}`,
    `sha256=${"a".repeat(65_536)}`,
    `sha256=${"0".repeat(64)}`,
  ];
  for (const signature of broken) assertRefused(hmacProof({ ...GITHUB, signature }));
});

Deno.test("hmacProof() refuses a body that differs in one byte", () => {
  const signature = `sha256=${GITHUB_HEX}`;
  assertRefused(hmacProof({ ...GITHUB, body: bytes("Hello, World?"), signature }), "none of the");
});

Deno.test("hmacProof() covers bytes that are not text (rule 3)", () => {
  const body = new Uint8Array([0, 0xff, 0xfe]);
  const signature = createHmac("sha256", "key").update(body).digest("hex");
  assert(hmacProof({ body, signature, secrets: ["key"] }).ok);
  assertRefused(hmacProof({ body: body.subarray(1), signature, secrets: ["key"] }));
});

Deno.test("hmacProof() reads base64 only where base64 is expected", () => {
  const signed = { body: bytes("a=1"), secrets: ["key"], encoding: "base64" as const };
  assert(hmacProof({ ...signed, signature: sign("key", "a=1", "base64") }).ok);
  assertRefused(hmacProof({ ...signed, signature: sign("key", "a=1", "hex") }), "not SHA-256");
});

Deno.test("hmacProof() tells during a rotation which secret matched, and refuses the old one after", () => {
  const body = bytes("a");
  const withOld = { body, signature: sign("old", "a") };
  assertEquals(hmacProof({ ...withOld, secrets: ["new", "old"] }), { ok: true, secret: 1 });
  assertEquals(hmacProof({ body, signature: sign("new", "a"), secrets: ["new", "old"] }), {
    ok: true,
    secret: 0,
  });
  assertRefused(hmacProof({ ...withOld, secrets: ["new"] }));
});

Deno.test("hmacProof() accepts no signature made with an empty key", () => {
  const forged = { body: bytes("a"), signature: sign("", "a") };
  for (const secrets of [[], [""], ["", "real"], [new Uint8Array()]]) {
    assertRefused(hmacProof({ ...forged, secrets }));
  }
});

Deno.test("secretHeaderProof() tells which secret matched", () => {
  assertEquals(secretHeaderProof("old", ["new", "old"]), { ok: true, secret: 1 });
});

Deno.test("secretHeaderProof() refuses a missing, empty, longer or shorter header", () => {
  for (const header of [null, "", "secre", "secret1", "a".repeat(65_536), "\ud800"]) {
    assertRefused(secretHeaderProof(header, ["secret"]));
  }
  assertRefused(secretHeaderProof("", [""]));
});

Deno.test("secretPathProof() tells which secret matched, and takes nothing less than a whole one", () => {
  assertEquals(secretPathProof("old", ["new", "old"]), { ok: true, secret: 1 });
  for (const end of ["ne", "neww", "NEW", "n%65w", "***"]) {
    assertRefused(secretPathProof(end, ["new"]), "none of the secrets");
  }
  for (const end of [undefined, ""]) assertRefused(secretPathProof(end, [""]), "no secret");
});

const KEY = Uint8Array.fromBase64("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
const STANDARD = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  body: bytes('{"test": 2432232314}'),
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const STANDARD_NOW = new Date(1614265330_000);

function standardHeaders(changes: Record<string, string> = {}, family = "webhook"): Headers {
  const { id, timestamp, signature } = { ...STANDARD, ...changes };
  return new Headers({
    [`${family}-id`]: id,
    [`${family}-timestamp`]: timestamp,
    [`${family}-signature`]: signature,
  });
}

Deno.test("standardWebhooksProof() agrees with the published example, under both header names", () => {
  for (const family of ["webhook", "svix"]) {
    const headers = standardHeaders({}, family);
    const proof = standardWebhooksProof(headers, STANDARD.body, [KEY], STANDARD_NOW);
    assertEquals(proof, { ok: true, secret: 0 });
  }
});

Deno.test("standardWebhooksProof() accepts any match of a list and skips versions it does not know", () => {
  const wrong = `v1,${"A".repeat(43)}=`;
  for (const before of ["v1,bad", wrong, "v1a,abc", "v2,x", "", "v1,"]) {
    const headers = standardHeaders({ signature: `${before} ${STANDARD.signature}` });
    assert(standardWebhooksProof(headers, STANDARD.body, [KEY], STANDARD_NOW).ok, before);
  }
  const unknown = standardHeaders({ signature: STANDARD.signature.replace("v1,", "v1a,") });
  assertRefused(
    standardWebhooksProof(unknown, STANDARD.body, [KEY], STANDARD_NOW),
    "no signature of a known form",
  );
});

Deno.test("standardWebhooksProof() refuses another id, body, time or key", () => {
  const verify = (headers: Headers, body = STANDARD.body, key = KEY) =>
    standardWebhooksProof(headers, body, [key], STANDARD_NOW);
  assertRefused(verify(standardHeaders({ id: "msg_other" })), "none of the secrets");
  assertRefused(verify(standardHeaders({ timestamp: "1614265331" })), "none of the secrets");
  assertRefused(verify(standardHeaders(), bytes('{"test":2432232314}')), "none of the secrets");
  assertRefused(verify(standardHeaders(), STANDARD.body, new Uint8Array(24)));
});

Deno.test("standardWebhooksProof() never throws when headers are missing", () => {
  for (const missing of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    const headers = standardHeaders();
    headers.delete(missing);
    assertRefused(standardWebhooksProof(headers, STANDARD.body, [KEY], STANDARD_NOW));
  }
});

const STRIPE_NOW = new Date(1_800_000_000_900);

function stripeAt(timestamp: string, now = STRIPE_NOW): Proof {
  const header = `t=${timestamp},v1=${sign("whsec_k", `${timestamp}.{}`)}`;
  return stripeProof(header, bytes("{}"), ["whsec_k"], now);
}

Deno.test("stripeProof() takes the whole whsec_ text as the key, not what it decodes to", () => {
  assertEquals(stripeAt("1800000000"), { ok: true, secret: 0 });
});

Deno.test("stripeProof() accepts any v1 during a rotation, and no v0", () => {
  const good = sign("whsec_k", "1800000000.{}");
  const verify = (parts: string) =>
    stripeProof(`t=1800000000,${parts}`, bytes("{}"), ["whsec_n", "whsec_k"], STRIPE_NOW);
  assertEquals(verify(`v1=${"0".repeat(64)},v1=${good},v0=x`), { ok: true, secret: 1 });
  assertRefused(verify(`v0=${good}`), "no signature of a known form");
});

Deno.test("stripeProof() never throws at a broken header", () => {
  for (
    const header of [null, "", ",", "t=", "v1=", "t=,v1=", "=", "t=1800000000", "a".repeat(65_536)]
  ) {
    assertRefused(stripeProof(header, bytes("{}"), ["whsec_k"], STRIPE_NOW));
  }
});

Deno.test("a signed time counts when it is less than five minutes off, in either direction", () => {
  for (const seconds of [-300, -299, 0, 299, 300]) {
    assert(stripeAt(String(1_800_000_000 + seconds)).ok, `${seconds}`);
  }
});

Deno.test("a time further off is refused as a matter of clocks, with the difference", () => {
  for (const seconds of [-301, 301]) {
    assertRefused(stripeAt(String(1_800_000_000 + seconds)), "clock: .* differs by 301 s");
  }
  assertRefused(stripeAt("1800000000000"), "clock: .* differs by");
  const tenMinutesSlow = new Date(STRIPE_NOW.getTime() - 600_000);
  assertRefused(stripeAt("1800000000", tenMinutesSlow), "clock: .* 600 s");
});

Deno.test("a time that is no number is refused as a matter of clocks, even when it is signed", () => {
  for (const timestamp of ["-1", "abc", "", "1e9", "0x1", " 1800000000", "1800000000.5"]) {
    assertRefused(stripeAt(timestamp), "clock: ");
  }
});

Deno.test("a forged signature is never excused by a wrong clock", () => {
  const header = `t=1,v1=${"0".repeat(64)}`;
  assertRefused(
    stripeProof(header, bytes("{}"), ["whsec_k"], STRIPE_NOW),
    "^it matches none of the secrets$",
  );
});

Deno.test("timestampedProof() agrees with the example that Slack publishes", () => {
  const timestamp = "1531420618";
  const body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow" +
    "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner" +
    "&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands" +
    "%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN" +
    "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  const proof = timestampedProof({
    timestamp,
    signed: [`v0:${timestamp}:`, bytes(body)],
    signatures: ["a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"],
    encoding: "hex",
    secrets: ["8f742231b10e8888abcd99yyyzzz85a5"],
    now: new Date(1531420618_000),
  });
  assertEquals(proof, { ok: true, secret: 0 });
});
