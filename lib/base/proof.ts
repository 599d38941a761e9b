/**
 * The proofs that senders attach to their requests. None of them throws, whatever comes in.
 * @module
 */
import { createHash, createHmac } from "node:crypto";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import type { Proof } from "../contract.ts";

type Bytes = string | Uint8Array;
/** How a signature is written. */
export type SignatureEncoding = "hex" | "base64";

const TOLERANCE_SECONDS = 300;
/** A SHA-256 digest, and nothing else; hexadecimal digits in either case. */
const DIGEST_FORM = { hex: /^[0-9a-f]{64}$/i, base64: /^[A-Za-z0-9+/]{43}=$/ };

/** A signature of the body alone, as GitHub, Shopify and many others send it. */
export interface SignedBody {
  readonly body: Uint8Array;
  /** The header as it came; null when it is missing. */
  readonly signature: string | null;
  readonly secrets: readonly Bytes[];
  /** `hex` when absent. */
  readonly encoding?: SignatureEncoding;
  /** What stands before the signature, such as `sha256=`. */
  readonly prefix?: string;
}

/** Proves an HMAC-SHA256 over the raw body with any of the secrets. */
export function hmacProof(signed: SignedBody): Proof {
  const { body, signature, secrets, encoding = "hex", prefix = "" } = signed;
  if (!signature) return refused("the signature header is missing");
  if (!signature.startsWith(prefix)) return refused(`the signature does not begin with ${prefix}`);
  const digest = decodeDigest(signature.slice(prefix.length), encoding);
  if (digest === undefined) return refused(`the signature is not SHA-256 in ${encoding}`);
  return proofOf(matchingKey(secrets, [body], [digest]));
}

/** Proves that a header holds any of the secrets itself. */
export function secretHeaderProof(header: string | null, secrets: readonly string[]): Proof {
  return header ? secretProof(header, secrets) : refused("the secret header is missing");
}

/** Proves that the path ends in any of the secrets. */
export function secretPathProof(given: string | undefined, secrets: readonly string[]): Proof {
  return given ? secretProof(given, secrets) : refused("the path has no secret at its end");
}

function secretProof(given: string, secrets: readonly string[]): Proof {
  // Digests, not texts: the comparison takes equal lengths only, and must not tell the length.
  const digest = sha256(given);
  return proofOf(secrets.findIndex((secret) => timingSafeEqual(sha256(secret), digest)));
}

/** A signature of a time and the body. */
export interface TimestampedSignature {
  /** Seconds since 1970, as text, exactly as it was signed. */
  readonly timestamp: string | null | undefined;
  /** All that was signed, in order, the timestamp included. */
  readonly signed: readonly Bytes[];
  /** Any match is enough; those of another form are skipped. */
  readonly signatures: readonly string[];
  readonly encoding: SignatureEncoding;
  readonly secrets: readonly Bytes[];
  readonly now: Date;
  readonly toleranceSeconds?: number;
}

/**
 * Proves an HMAC-SHA256 whose signed text holds a time, which must lie within the tolerance (300 s
 * when absent) before or after `now`. The time is judged last, so that a refusal for the clock
 * means exactly that.
 */
export function timestampedProof(from: TimestampedSignature): Proof {
  if (!from.timestamp || !/^\d+$/.test(from.timestamp)) {
    return refused("clock: the timestamp is missing or not a number of seconds");
  }
  const digests = from.signatures.map((text) => decodeDigest(text, from.encoding))
    .filter((digest) => digest !== undefined);
  if (digests.length === 0) return refused("there is no signature of a known form");
  const proof = proofOf(matchingKey(from.secrets, from.signed, digests));
  return proof.ok ? withinTolerance(proof, from) : proof;
}

function withinTolerance(proof: Proof, from: TimestampedSignature): Proof {
  const seconds = Math.abs(Math.floor(from.now.getTime() / 1000) - Number(from.timestamp));
  if (seconds <= (from.toleranceSeconds ?? TOLERANCE_SECONDS)) return proof;
  return refused(`clock: the sender's time differs by ${seconds} s`);
}

/**
 * Proves a delivery of Standard Webhooks, also under Svix's header names; `keys` are the decoded
 * secrets. Source: Standard Webhooks specification 1.0.0. Ed25519 (`v1a`) is not supported.
 */
export function standardWebhooksProof(
  headers: Headers,
  body: Uint8Array,
  keys: readonly Uint8Array[],
  now: Date,
  toleranceSeconds?: number,
): Proof {
  const family = headers.has("webhook-signature") ? "webhook" : "svix";
  const id = headers.get(`${family}-id`);
  if (!id) return refused("the header webhook-id is missing");
  const timestamp = headers.get(`${family}-timestamp`);
  return timestampedProof({
    timestamp,
    signed: [`${id}.${timestamp}.`, body],
    signatures: valuesOf("v1,", (headers.get(`${family}-signature`) ?? "").split(" ")),
    encoding: "base64",
    secrets: keys,
    now,
    toleranceSeconds,
  });
}

/**
 * Proves a delivery of Stripe from its `Stripe-Signature`; the whole text `whsec_…` is the key.
 * Source: docs.stripe.com/webhooks/signature.
 */
export function stripeProof(
  header: string | null,
  body: Uint8Array,
  secrets: readonly string[],
  now: Date,
  toleranceSeconds?: number,
): Proof {
  if (!header) return refused("the signature header is missing");
  const parts = header.split(",");
  const [timestamp] = valuesOf("t=", parts);
  return timestampedProof({
    timestamp,
    signed: [`${timestamp}.`, body],
    signatures: valuesOf("v1=", parts),
    encoding: "hex",
    secrets,
    now,
    toleranceSeconds,
  });
}

function valuesOf(prefix: string, parts: readonly string[]): string[] {
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
}

function decodeDigest(text: string, encoding: SignatureEncoding): Uint8Array | undefined {
  if (!DIGEST_FORM[encoding].test(text)) return undefined;
  return encoding === "hex" ? Uint8Array.fromHex(text) : Uint8Array.fromBase64(text);
}

/** The index of the first key with which one of the digests was made, or -1. */
function matchingKey(
  keys: readonly Bytes[],
  signed: readonly Bytes[],
  digests: readonly Uint8Array[],
): number {
  return keys.findIndex((key) => {
    // Anybody can sign with an empty key.
    if (key.length === 0) return false;
    const hmac = createHmac("sha256", key);
    for (const part of signed) hmac.update(part);
    const expected = hmac.digest();
    return digests.some((digest) => timingSafeEqual(expected, digest));
  });
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

function proofOf(secret: number): Proof {
  return secret < 0 ? refused("it matches none of the secrets") : { ok: true, secret };
}

function refused(why: string): Proof {
  return { ok: false, why };
}
