/**
 * Makers of settings: what an environment variable may hold, and how to say that it does not.
 *
 * Every message is the end of a sentence that begins with the variable's name, and never repeats
 * the value. An empty variable counts as unset, except for secrets that are required.
 * @module
 */
import { z, type ZodType } from "zod";
import type { Setting } from "../setting.ts";
import { isNetwork } from "./networks.ts";
import { isTimeZone } from "./slot.ts";

const NOT_SET = "is not set; give it a value";
const MIN_KEY_BYTES = 16;
const required = z.string({ error: NOT_SET });

const secretText = required.superRefine((text, context) => {
  if (text === "") {
    context.addIssue(
      "is empty; take the value from the other side, or make one of your own: openssl rand -hex 32",
    );
  } else if (text.trim() === "") context.addIssue("is blank; give it a value");
  else if (text !== text.trim()) {
    context.addIssue("begins or ends with white space or a line end; remove that");
  } else if (/\p{Cc}/u.test(text)) {
    context.addIssue("has a line end or another control character inside; copy it again");
  }
});

const standardWebhooksKey = secretText.transform((text, context) => {
  const key = text.startsWith("whsec_") ? decodeBase64(text.slice("whsec_".length)) : undefined;
  if (key && key.length >= MIN_KEY_BYTES) return key;
  if (!text.startsWith("whsec_")) {
    context.addIssue('does not begin with whsec_; paste the secret alone, without "v1," before it');
  } else if (!key) context.addIssue("is not whsec_ followed by base64; copy it again");
  else context.addIssue(`holds ${key.length} bytes; use at least ${MIN_KEY_BYTES}`);
  return z.NEVER;
});

/** One secret. Empty, blank, and white space at either end are refused. */
export function secret(about: string): Setting<string> {
  return { schema: secretText, about, example: "", secret: true };
}

/** One secret, or undefined when unset or empty. Otherwise checked as `secret` is. */
export function optionalSecret(about: string): Setting<string | undefined> {
  return { ...secret(about), schema: unsetWhenEmpty(secretText.optional()) };
}

/** Secrets separated by commas, for rotation: `new,old`. Each is checked as `secret` is. */
export function secrets(about: string): Setting<readonly string[]> {
  return { schema: separated(secretText), about, example: "", secret: true };
}

/**
 * Secrets of Standard Webhooks separated by commas, yielded as decoded keys: `whsec_` and strict
 * base64 of at least 16 bytes each (the specification asks for 24).
 */
export function standardWebhooksSecrets(about: string): Setting<readonly Uint8Array[]> {
  return { schema: separated(standardWebhooksKey), about, example: "", secret: true };
}

/** Any text but a blank one; required unless it has a default. */
export function text(about: string, options: { readonly default?: string } = {}): Setting<string> {
  const schema = required.trim().min(1, "is blank; give it a value");
  return plain(withDefault(schema, options.default), about, options.default);
}

/** Any text, or undefined when unset. */
export function optionalText(about: string): Setting<string | undefined> {
  return plain(unsetWhenEmpty(z.string().trim().optional()), about);
}

/** A whole number from `min` to `max`. */
export function integer(
  about: string,
  options: { readonly default: number; readonly min: number; readonly max: number },
): Setting<number> {
  const { min, max } = options;
  const error = `must be a whole number from ${min} to ${max}`;
  const schema = z.string().regex(/^-?\d+$/, error).transform(Number)
    .pipe(z.number({ error }).min(min, error).max(max, error));
  return plain(withDefault(schema, options.default), about, String(options.default));
}

/** What a URL may be. */
export interface UrlOptions {
  readonly default?: string;
  /** A sample for `.env.example`. */
  readonly example?: string;
  /** Without colon; http and https when absent. */
  readonly protocols?: readonly string[];
  /** Whether it holds a password or is itself a secret. */
  readonly secret?: boolean;
}

/** A URL, as text; required unless it has a default. */
export function url(about: string, options: UrlOptions = {}): Setting<string> {
  const schema = required.pipe(urlText(options));
  const example = options.default ?? options.example;
  return {
    ...plain(withDefault(schema, options.default), about, example),
    secret: !!options.secret,
  };
}

/** A URL, as text, or undefined when unset. */
export function optionalUrl(
  about: string,
  options: Omit<UrlOptions, "default"> = {},
): Setting<string | undefined> {
  const schema = unsetWhenEmpty(urlText(options).optional());
  return { ...plain(schema, about, options.example), secret: !!options.secret };
}

/** True or false; false when unset. Also understands yes, no, on, off, 1 and 0. */
export function flag(about: string): Setting<boolean> {
  const schema = z.stringbool({ error: "must be true or false" });
  return plain(withDefault(schema, false), about, "false");
}

/** Texts separated by commas; white space around each is dropped. Empty when unset. */
export function list(about: string): Setting<readonly string[]> {
  const schema = z.string().default("").transform((text) =>
    text.split(",").map((part) => part.trim()).filter((part) => part !== "")
  );
  return plain(schema, about);
}

/** Addresses and networks separated by commas: `127.0.0.1,10.0.0.0/8`. Empty when unset. */
export function networks(about: string): Setting<readonly string[]> {
  const error = "must be an address or a network; write 127.0.0.1 or 10.0.0.0/8";
  const { schema } = list(about);
  return plain(
    schema.pipe(z.array(z.string().refine(isNetwork, error))) as ZodType<string[]>,
    about,
  );
}

/** How long a source may be silent. */
export interface Expectation {
  readonly source: string;
  readonly hours: number;
}

/** Names with hours behind a colon, separated by commas: `amocrm:12,site:48`; each up to a year. Empty when unset. */
export function expectations(about: string): Setting<readonly Expectation[]> {
  const error = "must be a source and hours from 1 to 8760; write amocrm:12";
  const part = z.string().regex(/^[a-z][a-z0-9_.-]*:\d{1,4}$/, error).transform((text) => {
    const [source, hours] = text.split(":");
    return { source: source!, hours: Number(hours) };
  }).refine(({ hours }) => hours >= 1 && hours <= 8760, error);
  const { schema } = list(about);
  return plain(schema.pipe(z.array(part)) as ZodType<Expectation[]>, about);
}

/** One of a few words. */
export function choice<const T extends string>(
  about: string,
  options: { readonly of: readonly T[]; readonly default: NoInfer<T> },
): Setting<T> {
  const schema: ZodType<T> = z.enum(options.of, {
    error: `must be one of ${options.of.join(", ")}`,
  });
  return plain(withDefault(schema, options.default), about, options.default);
}

/** An IANA time zone. */
export function timeZone(about: string, options: { readonly default: string }): Setting<string> {
  const error = "must be an IANA time zone such as Europe/Berlin";
  const schema = z.string().refine(isTimeZone, error);
  return plain(withDefault(schema, options.default), about, options.default);
}

function plain<T>(schema: ZodType<T>, about: string, example = ""): Setting<T> {
  return { schema, about, example, secret: false };
}

function separated<T>(part: ZodType<T, string>): ZodType<T[]> {
  return required.transform((text) => text.split(",")).pipe(z.array(part));
}

function withDefault<T>(schema: ZodType<T>, value: T | undefined): ZodType<T> {
  return unsetWhenEmpty(
    value === undefined ? schema : schema.optional().transform((given) => given ?? value),
  );
}

/** Compose files and shells often pass on an unset variable as an empty one. */
function unsetWhenEmpty<T>(schema: ZodType<T>): ZodType<T> {
  return z.preprocess((text) => text === "" ? undefined : text, schema);
}

function urlText(options: UrlOptions): ZodType<string, string> {
  const protocols = options.protocols ?? ["http", "https"];
  const error = `must be a URL that begins with ${
    protocols.map((name) => `${name}://`).join(" or ")
  }`;
  return z.url({ protocol: new RegExp(`^(${protocols.join("|")})$`), error })
    .refine(isDecodable, "has a bare %, perhaps in its password; write it as %25");
}

function isDecodable(url: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(url);
}

/** Undefined when it is empty or not base64 to the letter, padding included. */
function decodeBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
