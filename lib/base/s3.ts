/**
 * Objects of a store that speaks S3: path-style addresses, Signature Version 4, conditional puts. Whole objects only: each is
 * held in memory.
 * @module
 */
// Signs and nothing else: the call itself goes the way of all calls, with its deadline and its shadow.
import { AwsV4Signer } from "aws4fetch";
import { PermanentError } from "./errors.ts";
import type { Outside, OutsideAnswer } from "./outside.ts";

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;
/** Another put of the name is under way: what came of it can be seen later. */
const CONFLICT = 409;

/** Where the store is, and who asks. */
export interface S3Store {
  /** Without the bucket: `https://storage.example.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** What differs between those who keep objects. */
export interface S3Use {
  /** What is kept, as it reads after "store the": `contract`. */
  readonly what: string;
  /** For one object, from the first packet to the last. */
  readonly deadlineSeconds: number;
  readonly maxObjectBytes: number;
}

/**
 * The objects of a bucket. All throw TemporaryError when the store does not answer in time or says that it is busy, and
 * PermanentError when it refuses: wrong keys (403), no such bucket (404 to a put).
 */
export interface S3Objects {
  /** Undefined when there is none. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  exists(key: string): Promise<boolean>;
  /** False when `ifAbsent` and the key is taken; some stores do not know that condition, and replace what is there. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, options: PutOptions): Promise<boolean>;
  /** The keys that begin with a prefix, in order. With `folders` each ends at its first `/` behind the prefix. */
  list(prefix: string, options?: { readonly folders?: boolean }): Promise<string[]>;
  /** One that is not there is no error. */
  remove(key: string): Promise<void>;
}

/** How an object is stored. */
export interface PutOptions {
  readonly type: string;
  readonly ifAbsent?: boolean;
}

type Method = "GET" | "HEAD" | "PUT" | "DELETE";

interface Request {
  readonly method: Method;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** The store of settings `<prefix>_S3_…`. Throws PermanentError for the first part that is not set. */
export function s3StoreOf(
  prefix: string,
  { endpoint, accessKey, secretKey, ...rest }:
    & Pick<S3Store, "bucket" | "region">
    & Partial<S3Store>,
): S3Store {
  const needed = (name: string, value: string | undefined) => {
    if (value !== undefined) return value;
    throw new PermanentError(
      `Cannot use the S3 store: ${prefix}_S3_BUCKET is set and ${prefix}_S3_${name} is not; set it, then restart`,
    );
  };
  return {
    ...rest,
    endpoint: needed("ENDPOINT", endpoint),
    accessKey: needed("ACCESS_KEY", accessKey),
    secretKey: needed("SECRET_KEY", secretKey),
  };
}

/** Opens a bucket; nothing is asked before the first object. */
export function openBucket(store: S3Store, use: S3Use, outside: Outside): S3Objects {
  async function ask(request: Request): Promise<OutsideAnswer> {
    const { method, body } = request;
    const signed = await sign(store, request);
    return await outside.call({
      what: whatOf(method, use),
      url: signed.url,
      method,
      headers: Object.fromEntries(signed.headers),
      ...(body === undefined ? {} : { body }),
      // Keys are used once, or under a condition: a second put of the same is harmless.
      idempotent: true,
      reads: method === "GET" || method === "HEAD",
      deadlineSeconds: use.deadlineSeconds,
      maxBodyBytes: use.maxObjectBytes,
    });
  }

  return {
    async get(key) {
      const answer = await ask({ method: "GET", key });
      if (answer.status === NOT_FOUND) return undefined;
      outside.check(answer, whatOf("GET", use));
      return answer.body;
    },
    async exists(key) {
      const answer = await ask({ method: "HEAD", key });
      if (answer.status !== NOT_FOUND) outside.check(answer, whatOf("HEAD", use));
      return answer.status !== NOT_FOUND;
    },
    async put(key, body, { type, ifAbsent = false }) {
      const condition: Record<string, string> = ifAbsent ? { "if-none-match": "*" } : {};
      const headers = { "content-type": type, ...condition };
      const answer = await ask({ method: "PUT", key, headers, body });
      if (ifAbsent && answer.status === PRECONDITION_FAILED) return false;
      outside.check(answer, whatOf("PUT", use), { temporary: [CONFLICT] });
      return true;
    },
    async list(prefix, { folders = false } = {}) {
      const found: string[] = [];
      let page: Record<string, string> = {};
      for (;;) {
        const delimiter: Record<string, string> = folders ? { delimiter: "/" } : {};
        const query = { "list-type": "2", prefix, ...delimiter, ...page };
        const answer = await ask({ method: "GET", query });
        outside.check(answer, whatOf("GET", use));
        const xml = new TextDecoder().decode(answer.body);
        found.push(
          ...textsOf(xml, folders ? /<Prefix>([^<]+)<\/Prefix>\s*<\/CommonPrefixes>/g : KEY),
        );
        const [next] = textsOf(xml, NEXT_PAGE);
        if (next === undefined) return found.toSorted();
        page = { "continuation-token": next };
      }
    },
    async remove(key) {
      const answer = await ask({ method: "DELETE", key });
      if (answer.status !== NOT_FOUND) outside.check(answer, whatOf("DELETE", use));
    },
  };
}

const KEY = /<Key>([^<]+)<\/Key>/g;
const NEXT_PAGE = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/g;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** A listing is a flat XML whose texts are all that is wanted of it. */
function textsOf(xml: string, pattern: RegExp): string[] {
  return [...xml.matchAll(pattern)].map(([, text]) =>
    text!.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name) => ENTITIES[name]!)
  );
}

async function sign(store: S3Store, { method, key, query, headers, body }: Request) {
  const url = new URL(`${store.endpoint.replace(/\/$/, "")}/${store.bucket}/${key ?? ""}`);
  url.search = new URLSearchParams(query).toString();
  const digest = await crypto.subtle.digest("SHA-256", body ?? new Uint8Array());
  return await new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, "x-amz-content-sha256": new Uint8Array(digest).toHex() },
    accessKeyId: store.accessKey,
    secretAccessKey: store.secretKey,
    service: "s3",
    region: store.region,
  }).sign();
}

function whatOf(method: Method, { what }: S3Use): string {
  if (method === "PUT") return `store the ${what}`;
  return method === "DELETE" ? `remove the ${what}` : `look for the ${what} in the store`;
}
