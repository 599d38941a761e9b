/** Deep equality of two values, as the assertions understand it. */

type Seen = Map<object, object>;
type Key = string | symbol;

/** Classes whose text says everything about the value. */
const TEXTUAL = [RegExp, URL, URLSearchParams, Intl.Locale, ...temporalClasses()];

/** Tells whether two values are the same in type and content; 0 is -0, and NaN is NaN. */
export function equal(a: unknown, b: unknown): boolean {
  return same(a, b, new Map());
}

function same(a: unknown, b: unknown, seen: Seen): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (prototypeOf(a) !== prototypeOf(b)) return false;
  // A pair that is being compared further up is taken as equal: the rest of it decides.
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  return sameContent(a, b, seen);
}

function sameContent(a: object, b: object, seen: Seen): boolean {
  const bytes = bytesOf(a);
  if (bytes) return sameItems(bytes, bytesOf(b)!);
  if (a instanceof Map) return sameMembers([...a], [...b as typeof a], seen);
  if (a instanceof Set) return sameMembers([...a], [...b as typeof a], seen);
  if (TEXTUAL.some((type) => a instanceof type)) return String(a) === String(b);
  return sameKeys(a, b, seen);
}

/** Members may come in any order, and may be objects. */
function sameMembers(a: unknown[], b: unknown[], seen: Seen): boolean {
  return a.length === b.length &&
    a.every((member) => b.some((other) => same(member, other, new Map(seen))));
}

function sameItems(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  return a.length === b.length &&
    Array.from(a).every((item, i) => Object.is(item, b[i]) || item === b[i]);
}

/** A key that is there but undefined differs from one that is missing. */
function sameKeys(a: object, b: object, seen: Seen): boolean {
  const [keys, others] = [keysOf(a), keysOf(b)];
  return keys.size === others.size &&
    [...keys].every((key) =>
      others.has(key) && same(a[key as keyof object], b[key as keyof object], seen)
    );
}

/** Getters of a class live on its prototype, so the keys there count too. */
function keysOf(value: object): Set<Key> {
  const keys = new Set<Key>(Reflect.ownKeys(value));
  for (let proto = prototypeOf(value); !isBasic(proto); proto = prototypeOf(proto)) {
    Reflect.ownKeys(proto).forEach((key) => keys.add(key));
  }
  return keys;
}

function bytesOf(value: object): ArrayLike<unknown> | undefined {
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return new Uint8Array(value);
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return value as Uint8Array;
}

/** An object without a prototype counts as a plain one. */
function prototypeOf(value: object): object {
  return Object.getPrototypeOf(value) ?? Object.prototype;
}

function isBasic(proto: object): boolean {
  return proto === Object.prototype || proto === Array.prototype;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function temporalClasses() {
  return [
    Temporal.Duration,
    Temporal.Instant,
    Temporal.PlainDate,
    Temporal.PlainDateTime,
    Temporal.PlainTime,
    Temporal.ZonedDateTime,
  ];
}
