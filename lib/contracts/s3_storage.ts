/**
 * Contracts as objects of a store that speaks S3: path-style addresses, Signature Version 4, conditional puts.
 * @module
 */
// Signs and nothing else: the call itself goes the way of all calls, with its deadline and its shadow.
import { AwsV4Signer } from "aws4fetch";
import { PermanentError } from "../base/errors.ts";
import type { Outside, OutsideAnswer } from "./outside.ts";
import { checkName, checkSame, type DocumentStorage, sha256 } from "./storage.ts";

const DEADLINE_SECONDS = 30;
const MAX_OBJECT_BYTES = 32 * 2 ** 20;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;
/** Another put of the name is under way: what came of it can be seen later. */
const CONFLICT = 409;

/** What is stored to see whether that can be done: it stays, since keys that may store need not be able to remove. */
const PROBE = "hookwork-probe.txt";

/** Where the store is, and who asks. */
export interface S3Store {
  /** Without the bucket: `https://storage.example.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/**
 * Keeps files in a bucket. Throws TemporaryError when the store does not answer in time or says that it is busy, and
 * PermanentError when it refuses: wrong keys (403), no such bucket (404 to a put).
 */
export function createS3Storage(store: S3Store, outside: Outside): DocumentStorage {
  const pathOf = (name: string) => `s3://${store.bucket}/${name}`;

  async function ask(
    method: "GET" | "HEAD" | "PUT",
    name: string,
    body?: Uint8Array<ArrayBuffer>,
    replaces = false,
  ): Promise<OutsideAnswer> {
    checkName(name);
    const headers: Record<string, string> = method === "PUT" && !replaces
      ? { "if-none-match": "*", "content-type": "application/pdf" }
      : {};
    const signed = await sign(store, { method, name, headers, body });
    return await outside.call({
      what: whatOf(method),
      url: signed.url,
      method,
      headers: Object.fromEntries(signed.headers),
      ...(body === undefined ? {} : { body }),
      // The condition makes a second put of the same harmless.
      idempotent: true,
      reads: method !== "PUT",
      deadlineSeconds: DEADLINE_SECONDS,
      maxBodyBytes: MAX_OBJECT_BYTES,
    });
  }

  async function get(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const answer = await ask("GET", name);
    if (answer.status === NOT_FOUND) return undefined;
    outside.check(answer, whatOf("GET"));
    return answer.body;
  }

  async function put(name: string, bytes: Uint8Array<ArrayBuffer>) {
    const hash = await sha256(bytes);
    // First a look: some stores do not know the condition, and would replace what is there.
    const before = await get(name);
    if (before !== undefined) return await checkSame(pathOf(name), before, hash);
    const answer = await ask("PUT", name, bytes);
    if (answer.status !== PRECONDITION_FAILED) {
      outside.check(answer, whatOf("PUT"), { temporary: [CONFLICT] });
      return { path: pathOf(name), sha256: hash };
    }
    const winner = await get(name);
    if (winner !== undefined) return await checkSame(pathOf(name), winner, hash);
    throw new PermanentError(
      `Cannot store ${
        pathOf(name)
      }: the store says that it is there, and does not show it; see its rules`,
    );
  }

  async function exists(name: string): Promise<boolean> {
    const answer = await ask("HEAD", name);
    if (answer.status !== NOT_FOUND) outside.check(answer, whatOf("HEAD"));
    return answer.status !== NOT_FOUND;
  }

  async function probe(): Promise<string> {
    const answer = await ask("PUT", PROBE, new TextEncoder().encode("by hookwork check\n"), true);
    outside.check(answer, whatOf("PUT"));
    return `s3://${store.bucket}`;
  }

  return { put, get, exists, probe };
}

async function sign(
  store: S3Store,
  { method, name, headers, body = new Uint8Array() }: {
    readonly method: string;
    readonly name: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: Uint8Array<ArrayBuffer>;
  },
) {
  const base = store.endpoint.replace(/\/$/, "");
  return await new AwsV4Signer({
    method,
    url: `${base}/${store.bucket}/${name}`,
    headers: { ...headers, "x-amz-content-sha256": await sha256(body) },
    accessKeyId: store.accessKey,
    secretAccessKey: store.secretKey,
    service: "s3",
    region: store.region,
  }).sign();
}

function whatOf(method: "GET" | "HEAD" | "PUT"): string {
  return method === "PUT" ? "store the contract" : "look for the contract in the store";
}
