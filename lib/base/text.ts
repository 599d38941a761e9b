/**
 * Makes text fit for where it goes: a limited field, a column, a terminal, a log, a key.
 * @module
 */
import { createHash } from "node:crypto";

const ELLIPSIS = "…";
/** How far around the cut graphemes are looked for; longer ones are cut in two. */
const WINDOW_UNITS = 64;
const MAX_KEY_UNITS = 200;
/** Shorter secrets occur in ordinary words, and hiding them would make logs unreadable. */
const MIN_SECRET_UNITS = 4;
const HIDDEN = "***";

const graphemes = new Intl.Segmenter();
/** Controls, lone surrogates, and the marks that turn the direction of text around. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const SHORT_ESCAPES: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * At most `units` UTF-16 units of a text, ending in an ellipsis when something is missing. Never
 * splits a surrogate pair, nor what a reader sees as one character.
 */
export function cutText(text: string, units: number): string {
  if (text.length <= units) return text;
  const end = units - ELLIPSIS.length;
  return end < 0 ? "" : text.slice(0, wholeCharacters(text, end)) + ELLIPSIS;
}

/** The last place at or before `end` where the text may be cut. */
function wholeCharacters(text: string, end: number): number {
  const start = Math.max(end - WINDOW_UNITS, 0);
  const window = graphemes.segment(text.slice(start, end + WINDOW_UNITS));
  const index = window.containing(end - start)?.index ?? 0;
  if (index > 0) return start + index;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return splitsPair ? end - 1 : end;
}

/** A text that a Postgres text column takes: no zero byte, no lone surrogate, at most `units` long. */
export function storableText(text: string, units: number): string {
  return cutText(text.toWellFormed().replaceAll("\0", "\ufffd"), units);
}

/**
 * A text that is safe to show on a terminal: whatever would move the cursor, colour the screen or
 * reverse the reading direction appears as a visible escape. Line feeds stay when `lines` is set.
 */
export function printable(text: string, options: { readonly lines?: boolean } = {}): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (options.lines && character === "\n") return character;
    return SHORT_ESCAPES[character] ?? unicodeEscape(character);
  });
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * A function that replaces every secret with `***`: as it is, URL-encoded, or inside JSON.
 *
 * Secrets of less than four characters are left alone. Redact before cutting: half a secret is not
 * recognised.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(
    secrets.filter((secret) => secret.length >= MIN_SECRET_UNITS).flatMap(writtenForms),
  );
  if (forms.size === 0) return (text) => text;
  // The longest first: one secret may begin with another.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(RegExp.escape).join("|"), "g");
  return (text) => text.replace(pattern, HIDDEN);
}

function writtenForms(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  return [secret, encoded, encoded.replaceAll("%20", "+"), JSON.stringify(secret).slice(1, -1)];
}

/**
 * A key as it is stored: itself, or `sha256:` and a hash when it is longer than 200 UTF-16 units or
 * holds what Postgres text cannot.
 */
export function storedKey(key: string): string {
  if (key.length <= MAX_KEY_UNITS && !key.includes("\0") && key.isWellFormed()) return key;
  // In UTF-8 all lone surrogates look the same, and two keys would become one.
  return `sha256:${createHash("sha256").update(key, "utf16le").digest("hex")}`;
}
