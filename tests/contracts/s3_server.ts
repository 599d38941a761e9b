/** A fake store that speaks S3, and checks signatures by its own reckoning of Signature Version 4. */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { S3Store } from "../../lib/base/s3.ts";
import { serveHttp } from "../outside/servers.ts";

/** What a test can see and set. */
export interface FakeS3 extends AsyncDisposable {
  readonly store: S3Store;
  readonly objects: Map<string, Uint8Array<ArrayBuffer>>;
  /** `PUT name`, without folders, in the order in which they came. */
  readonly requests: string[];
  /** Answers a request in place of the store; undefined lets the store answer. */
  intercept: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** Whether puts obey `If-None-Match`. */
  knowsConditions: boolean;
  /** How many keys one answer lists. */
  pageSize: number;
}

const SECRET = "s3-s3cret/+=";

/** Starts a store with one bucket. */
export function startS3(): FakeS3 {
  const fake = {
    objects: new Map<string, Uint8Array<ArrayBuffer>>(),
    requests: [] as string[],
    intercept: (_: Request): Response | undefined | Promise<Response | undefined> => undefined,
    knowsConditions: true,
    pageSize: 1000,
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
  fake: Pick<FakeS3, "objects" | "knowsConditions" | "pageSize">,
  request: Request,
  url: URL,
) {
  const body = new Uint8Array(await request.arrayBuffer());
  if (!isSigned(request, url, body)) return new Response("SignatureDoesNotMatch", { status: 403 });
  const [, bucket, ...rest] = url.pathname.split("/");
  const name = rest.join("/");
  if (bucket !== "contracts") return new Response("NoSuchBucket", { status: 404 });
  if (name === "") return listing(fake, url.searchParams);
  const stored = fake.objects.get(name);
  if (request.method === "DELETE") {
    fake.objects.delete(name);
    return new Response(null, { status: 204 });
  }
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

/** As "ListObjectsV2" of the S3 API reference describes it; the token is the last key of the page before. */
function listing(
  { objects, pageSize }: Pick<FakeS3, "objects" | "pageSize">,
  query: URLSearchParams,
) {
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter")];
  const after = query.get("continuation-token") ?? "";
  const entryOf = (key: string) => {
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    return end === -1 ? key : key.slice(0, end + 1);
  };
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix));
  const entries = [...new Set(keys.map(entryOf))].toSorted().filter((entry) => entry > after);
  const page = entries.slice(0, pageSize);
  const more = entries.length > page.length;
  const isFolder = (entry: string) => delimiter !== null && entry.endsWith(delimiter);
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Prefix>${prefix}</Prefix>` +
      `<IsTruncated>${more}</IsTruncated>` +
      page.map((entry) =>
        isFolder(entry)
          ? `<CommonPrefixes><Prefix>${entry}</Prefix></CommonPrefixes>`
          : `<Contents><Key>${entry}</Key><Size>1</Size></Contents>`
      ).join("") +
      (more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "") +
      "</ListBucketResult>",
  );
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
  const query = [...url.searchParams].map((pair) => pair.map(encodeURIComponent).join("="))
    .toSorted().join("&");
  const canonical = [method, url.pathname, query, lines, signedHeaders, hash].join("\n");
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
