/**
 * Reads form bodies whose keys nest by brackets, as PHP writes them: `leads[status][0][id]=1`.
 *
 * Percent signs and `+` are decoded as the URL Standard has it (application/x-www-form-urlencoded parsing): what is no
 * valid sequence stays as it is, and what is no UTF-8 becomes U+FFFD, so a name that its sender cut in the middle of a
 * letter costs nothing but that letter. Of a key that comes twice the last value counts, as in PHP.
 * @module
 */

/** What a form holds: texts, and whatever is nested. Objects have no prototype, so that any name is only a name. */
export type FormValue = string | FormValue[] | FormObject;
/** The named parts of a form, or those with numbers that are no list. */
export type FormObject = { [name: string]: FormValue };

/** How much of a form is read, and what its sender says of it. */
export interface FormOptions {
  /** The header Content-Type, when there is one. */
  readonly contentType?: string | null;
  /** How many brackets may follow a name; 16 when absent. */
  readonly maxDepth?: number;
  /** How many texts and groups it may have in all; 200,000 when absent. */
  readonly maxParts?: number;
}

/** The scalar of a key that is a parent too: no key of a form can have this name below the first level. */
const ITSELF = "";
const FORM_TYPE = "application/x-www-form-urlencoded";
/** A name and its brackets; anything else is one plain name, brackets included. */
const NESTED_KEY = /^([^[]+)((?:\[[^\]]*\])+)$/;
/** No leading zero, and small enough to be counted on exactly. */
const INDEX = /^(?:0|[1-9]\d{0,14})$/;

interface Group {
  readonly parts: Map<string, string | Group>;
  /** What `[]` stands for next. */
  nextIndex: number;
}

/**
 * The form as plain data. A group whose names are exactly 0 to n-1 is an array, any other an object: no index, however
 * large, makes an array longer than what was sent. A key that is a text and a parent keeps the text under the name "".
 * Throws a TypeError that says why when it is no form in UTF-8, nests too deeply, or has too many parts.
 */
export function parsePhpForm(body: Uint8Array, options: FormOptions = {}): FormObject {
  const { contentType, maxDepth = 16, maxParts = 200_000 } = options;
  checkType(contentType);
  const form = newGroup();
  let parts = 0;
  const countPart = () => {
    if (++parts > maxParts) throw tooMany(maxParts);
  };
  // Before the pairs are made: a megabyte of bare "&a" would make half a million of them.
  if (countPairs(body) > maxParts) throw tooMany(maxParts);
  // After an "&", a "?" at the beginning is a part of the first name.
  for (const [key, value] of new URLSearchParams(`&${new TextDecoder().decode(body)}`)) {
    const path = pathOf(key);
    if (path.length - 1 > maxDepth) throw tooDeep(path[0]!, maxDepth);
    put(form, path, value, countPart);
  }
  return toObject(form);
}

/** The text of a value, also when it is a parent besides; undefined when there is none. */
export function formText(value: FormValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return value === undefined || Array.isArray(value) ? undefined : formText(value[ITSELF]);
}

/** What an object of the form has under a name; undefined when there is nothing, or no object. */
export function formPart(value: FormValue | undefined, name: string): FormValue | undefined {
  return typeof value === "object" && !Array.isArray(value) ? value[name] : undefined;
}

/** What stands below a value by name or number, whether it is a list or not; nothing below a text. */
export function formEntries(value: FormValue | undefined): [string, FormValue][] {
  return typeof value === "object" ? Object.entries(value) : [];
}

function checkType(contentType: string | null | undefined): void {
  if (!contentType) return;
  const [type = "", ...parameters] = contentType.toLowerCase().split(";").map((part) =>
    part.trim()
  );
  if (type !== FORM_TYPE) {
    throw new TypeError(`Cannot read the form: it came as ${type}; send it as ${FORM_TYPE}`);
  }
  const charset = parameters.find((part) => part.startsWith("charset="))
    ?.slice("charset=".length).replaceAll('"', "");
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") {
    throw new TypeError(`Cannot read the form: its charset is ${charset}; send it as UTF-8`);
  }
}

/** `a[b][]` is a, b, and an empty name. */
function pathOf(key: string): string[] {
  const [, name, brackets] = NESTED_KEY.exec(key) ?? [];
  return name === undefined ? [key] : [name, ...brackets!.slice(1, -1).split("][")];
}

function put(form: Group, path: readonly string[], value: string, countPart: () => void): void {
  let group = form;
  for (const [level, given] of path.entries()) {
    const name = level > 0 && given === "" ? `${group.nextIndex}` : given;
    const known = group.parts.get(name);
    if (known === undefined) countPart();
    const isLast = level === path.length - 1;
    if (isLast && !isGroup(known)) setPart(group, name, value);
    else if (isLast) setPart(known as Group, ITSELF, value);
    else group = isGroup(known) ? known : openGroup(group, name, known);
  }
}

function openGroup(parent: Group, name: string, text: string | undefined): Group {
  const group = newGroup();
  if (text !== undefined) group.parts.set(ITSELF, text);
  setPart(parent, name, group);
  return group;
}

function setPart(group: Group, name: string, part: string | Group): void {
  group.parts.set(name, part);
  if (INDEX.test(name)) group.nextIndex = Math.max(group.nextIndex, Number(name) + 1);
}

function toObject({ parts }: Group): FormObject {
  const object: FormObject = Object.create(null);
  for (const [name, part] of parts) object[name] = toValue(part);
  return object;
}

function toValue(part: string | Group): FormValue {
  if (!isGroup(part)) return part;
  // As many indexes as parts, and none beyond them: then none is missing.
  const { parts, nextIndex } = part;
  const isList = nextIndex === parts.size && [...parts.keys()].every((name) => INDEX.test(name));
  if (!isList) return toObject(part);
  return Array.from({ length: parts.size }, (_, index) => toValue(parts.get(`${index}`)!));
}

const newGroup = (): Group => ({ parts: new Map(), nextIndex: 0 });
const isGroup = (part: string | Group | undefined): part is Group => typeof part === "object";

function countPairs(body: Uint8Array): number {
  let count = 1;
  for (let at = body.indexOf(0x26); at >= 0; at = body.indexOf(0x26, at + 1)) count++;
  return count;
}

function tooMany(limit: number): TypeError {
  return new TypeError(`Cannot read the form: it has more than ${limit} parts; send less at once`);
}

function tooDeep(name: string, limit: number): TypeError {
  const shown = name.slice(0, 40).toWellFormed();
  return new TypeError(
    `Cannot read the form: "${shown}" has more than ${limit} brackets; send what nests less deeply`,
  );
}
