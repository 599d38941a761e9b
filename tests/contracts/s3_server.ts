/** A fake store that speaks S3, and checks signatures by its own reckoning of Signature Version 4. */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { S3Store } from "../../lib/contracts/s3_storage.ts";
import { serveHttp } from "../outside/servers.ts";

/** What a test can see and set. */
export interface FakeS3 extends AsyncDisposable {
  readonly store: S3Store;
  readonly objects: Map<string, Uint8Array<ArrayBuffer>>;
  /** `PUT name`, in the order in which they came. */
  readonly requests: string[];
  /** Answers a request in place of the store; undefined lets the store answer. */
  intercept: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** Whether puts obey `If-None-Match`. */
  knowsConditions: boolean;
}

const SECRET = "s3-s3cret/+=";

/** Starts a store with one bucket. */
export function startS3(): FakeS3 {
  const fake = {
    objects: new Map<string, Uint8Array<ArrayBuffer>>(),
    requests: [] as string[],
    intercept: (_: Request): Response | undefined | Promise<Response | undefined> => undefined,
    knowsConditions: true,
  };
  const server = serveHttp(async (request) => {
    const url = new URL(request.url);
    fake.requests.push(`${request.method} ${url.pathname.split("/").at(-1)}`);
    const instead = await fake.intercept(request);
    return instead ?? await answer(fake, request, url);
  });
  const store = {
    endpoint: server.url.origin,
    region: "ru-central1",
    bucket: "contracts",
    accessKey: "AKIDEXAMPLE",
    secretKey: SECRET,
  };
  return Object.assign(fake, { store, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() });
}

async function answer(
  fake: Pick<FakeS3, "objects" | "knowsConditions">,
  request: Request,
  url: URL,
) {
  const body = new Uint8Array(await request.arrayBuffer());
  if (!isSigned(request, url, body)) return new Response("SignatureDoesNotMatch", { status: 403 });
  const [, bucket, name = ""] = url.pathname.split("/");
  if (bucket !== "contracts") return new Response("NoSuchBucket", { status: 404 });
  const stored = fake.objects.get(name);
  if (request.method === "PUT") {
    const isConditional = request.headers.get("if-none-match") === "*" && fake.knowsConditions;
    if (isConditional && stored) return new Response("PreconditionFailed", { status: 412 });
    fake.objects.set(name, body);
    return new Response(null);
  }
  return stored === undefined
    ? new Response("NoSuchKey", { status: 404 })
    : new Response(request.method === "HEAD" ? null : stored);
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\d{8})\/ru-central1\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

/** As "Authenticating Requests: Using the Authorization Header" of the S3 API reference describes it. */
function isSigned({ method, headers }: Request, url: URL, body: Uint8Array): boolean {
  const [, day, signedHeaders, signature] =
    AUTHORIZATION.exec(headers.get("authorization") ?? "") ??
      [];
  if (!day || !signedHeaders || !signature) return false;
  const names = signedHeaders.split(";");
  const mustBeSigned = ["host", ...[...headers.keys()].filter((name) => name.startsWith("x-amz-"))];
  if (mustBeSigned.some((name) => !names.includes(name))) return false;
  const hash = hashOf(body);
  const time = headers.get("x-amz-date") ?? "";
  if (headers.get("x-amz-content-sha256") !== hash || !time.startsWith(day)) return false;
  const lines = names.map((name) => `${name}:${headers.get(name) ?? ""}\n`).join("");
  const canonical = [method, url.pathname, "", lines, signedHeaders, hash].join("\n");
  const scope = `${day}/ru-central1/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, hashOf(canonical)].join("\n");
  const key = [day, "ru-central1", "s3", "aws4_request"]
    .reduce<string | Uint8Array>((key, part) => hmac(key, part), `AWS4${SECRET}`);
  return timingSafeEqual(hmac(key, toSign), Uint8Array.fromHex(signature));
}

function hashOf(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest();
}
