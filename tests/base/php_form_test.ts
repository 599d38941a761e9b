import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  formEntries,
  type FormObject,
  type FormOptions,
  formPart,
  formText,
  type FormValue,
  parsePhpForm,
} from "../../lib/base/php_form.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string, options?: FormOptions) => parsePhpForm(bytes(text), options);
/** As ordinary objects, for comparing. A name such as `__proto__` survives in JSON. */
const plain = (text: string) => JSON.stringify(parse(text));

Deno.test("Brackets that came percent-encoded nest as bare ones do, and not as letters of a name", () => {
  const nested = '{"leads":{"status":[{"id":"1","name":"Ворота, д. 7"}]}}';
  assertEquals(
    plain(
      "leads%5Bstatus%5D%5B0%5D%5Bid%5D=1&leads%5bstatus%5d%5b0%5d%5bname%5d=" +
        "%D0%92%D0%BE%D1%80%D0%BE%D1%82%D0%B0%2C+%D0%B4.+7",
    ),
    nested,
  );
  assertEquals(plain("leads[status][0][id]=1&leads[status][0][name]=Ворота,+д. 7"), nested);
});

Deno.test("Several entities and actions in one body lose none of them", () => {
  const form = "leads[status][0][id]=1&leads[status][1][id]=2&leads[add][0][id]=3&" +
    "contacts[update][0][linked_leads_id][40510023][ID]=40510023&account[subdomain]=x";
  assertEquals(
    plain(form),
    '{"leads":{"status":[{"id":"1"},{"id":"2"}],"add":[{"id":"3"}]},' +
      '"contacts":{"update":[{"linked_leads_id":{"40510023":{"ID":"40510023"}}}]},' +
      '"account":{"subdomain":"x"}}',
  );
});

Deno.test("The three shapes of a custom field's values are three shapes, and none breaks the others", () => {
  const values = (text: string) => formPart((parse(text).f as { v: FormValue }[])[0], "v");
  assertEquals(values("f[0][v][0][value]=a&f[0][v][0][enum]=7"), [
    Object.assign(Object.create(null), { value: "a", enum: "7" }),
  ]);
  assertEquals(values("f[0][v][0]=1790600400"), ["1790600400"]);
  assertEquals(
    values("f[0][v][value]=a&f[0][v][enum]=7"),
    Object.assign(Object.create(null), { value: "a", enum: "7" }),
  );
});

Deno.test("A key that is a text and a parent keeps both, whichever came first", () => {
  const kept = '{"n":{"type":{"":"text","uuid":"u"}}}';
  assertEquals(plain("n[type]=text&n[type][uuid]=u"), kept);
  assertEquals(JSON.parse(plain("n[type][uuid]=u&n[type]=text")), JSON.parse(kept));
  assertEquals(plain("a[b]=1&a[b][]=2&a[b]=3"), '{"a":{"b":{"0":"2","":"3"}}}');
  assertEquals(formText(formPart(parse("a[b]=1&a[b][c]=2").a, "b")), "1");
});

Deno.test("__proto__ and constructor are names like others: nothing is polluted, nothing is inherited", () => {
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    const form = parse(`a[${name}][x]=1&${name}[y]=2`);
    assertEquals(JSON.stringify(form), `{"a":{"${name}":{"x":"1"}},"${name}":{"y":"2"}}`);
    assertEquals(Object.getPrototypeOf(form), null);
    assertEquals(Object.getPrototypeOf(form.a), null);
  }
  assertEquals(({} as Record<string, unknown>).x, undefined);
  assertEquals(formPart(parse("a=1"), "constructor"), undefined);
  assertEquals(formPart(["a"], "length"), undefined);
});

Deno.test("An index of 999999999 makes an object with one name, and no array with a billion holes", () => {
  assertEquals(plain("a[999999999]=x"), '{"a":{"999999999":"x"}}');
  assertEquals(plain("a[0]=x&a[2]=y"), '{"a":{"0":"x","2":"y"}}');
  assertEquals(plain("a[999999999]=x&a[]=y"), '{"a":{"999999999":"x","1000000000":"y"}}');
  assertEquals(
    plain("a[99999999999999999999]=x&a[]=y"),
    '{"a":{"0":"y","99999999999999999999":"x"}}',
  );
});

Deno.test("Only the names 0 to n-1 make a list, in the order of their numbers", () => {
  assertEquals(plain("a[1]=y&a[0]=x"), '{"a":["x","y"]}');
  assertEquals(plain("a[0]=1&a[b]=2"), '{"a":{"0":"1","b":"2"}}');
  assertEquals(plain("a[00]=1&a[-1]=2&a[1.0]=3"), '{"a":{"00":"1","-1":"2","1.0":"3"}}');
});

Deno.test("a[] counts on from the highest number, and each one is a new element", () => {
  assertEquals(plain("a[]=x&a[]=y"), '{"a":["x","y"]}');
  assertEquals(plain("a[][b]=x&a[][c]=y"), '{"a":[{"b":"x"},{"c":"y"}]}');
  assertEquals(plain("a[5]=x&a[]=y"), '{"a":{"5":"x","6":"y"}}');
});

Deno.test("A key that comes twice has its last value, as in PHP", () => {
  assertEquals(plain("a=1&a=2&b[c]=1&b[c]=2"), '{"a":"2","b":{"c":"2"}}');
});

Deno.test("Brackets that do not fit stay letters of the name: nothing is dropped and nothing renamed", () => {
  for (const key of ["a[b", "a]", "a[b]c", "[a]", "a[b]c[d]", "a[b][c", "a.b c"]) {
    assertEquals(plain(`${encodeURIComponent(key)}=1`), JSON.stringify({ [key]: "1" }));
  }
  assertEquals(plain("?a=1"), '{"?a":"1"}');
});

Deno.test("Empty pairs, names and values are no error", () => {
  assertEquals(plain(""), "{}");
  assertEquals(plain("&&a&b=&=c&"), '{"a":"","b":"","":"c"}');
  assertEquals(plain("a=b=c"), '{"a":"b=c"}');
});

Deno.test("An invalid percent sequence stays as it is, and half a letter costs only itself", () => {
  assertEquals(plain("a=100%&b=%zz&c%=%4"), '{"a":"100%","b":"%zz","c%":"%4"}');
  assertEquals(plain("a=%D0%92%D0&b=1"), '{"a":"В\ufffd","b":"1"}');
  assertEquals(JSON.stringify(parsePhpForm(new Uint8Array([0x61, 0x3d, 0xff]))), '{"a":"\ufffd"}');
});

Deno.test("What is no form in UTF-8 is refused by what its sender says of it", () => {
  const refused = (contentType: string) =>
    assertThrows(() => parse("a=1", { contentType }), TypeError).message;
  assert(refused("application/json").includes("it came as application/json"));
  assert(
    refused("application/x-www-form-urlencoded; charset=windows-1251").includes("windows-1251"),
  );
  const fit = [
    "application/x-www-form-urlencoded",
    'Application/X-WWW-Form-URLEncoded;CharSet="UTF-8"',
    "",
    null,
  ];
  for (const contentType of fit) assertEquals(parse("a=1", { contentType }).a, "1");
});

Deno.test("A form that nests too deeply is refused by name, and a long name is cut", () => {
  assertEquals(plain(`a${"[b]".repeat(16)}=1`).match(/b/g)?.length, 16);
  const { message } = assertThrows(
    () => parse(`${"n".repeat(1000)}${"[b]".repeat(17)}=1`),
    TypeError,
  );
  assert(/"n{40}" has more than 16 brackets/.test(message), message);
  assertThrows(() => parse(`a${"[]".repeat(1_000_000)}=1`), TypeError);
});

Deno.test("A form with too many parts is refused, whether they are pairs or groups within one key", () => {
  assertEquals(formEntries(parse("a[]&a[]&a[]", { maxParts: 4 }).a).length, 3);
  for (const form of ["a[]&a[]&a[]&a[]", "a[b][c][d][e]", "a&b&c&d&e", "&".repeat(9)]) {
    const { message } = assertThrows(() => parse(form, { maxParts: 4 }), TypeError);
    assert(message.includes("more than 4 parts"), message);
  }
});

/** Numbers from a seed (mulberry32): the same ones at each run. */
function randomFrom(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const NAMES = [
  "a",
  "id",
  "Имя",
  "__proto__",
  "constructor",
  "x y",
  "a.b",
  "7",
  "007",
  "[",
  "&=",
  "😀",
];

Deno.test("Whatever is written as PHP writes it is read back as it was", () => {
  const random = randomFrom(4521);
  for (let round = 0; round < 500; round++) {
    const pairs: string[] = [];
    const form = randomObject(random, 4);
    for (const [name, value] of Object.entries(form)) write(pairs, name, value);
    assertEquals(JSON.stringify(parse(pairs.join("&"))), JSON.stringify(form));
  }
});

function randomObject(random: (below: number) => number, depth: number): FormObject {
  const object = Object.create(null);
  for (let count = random(4) + 1; count > 0; count--) {
    // A bracket in a name cannot be written, and a lone number would be a list.
    const name = NAMES.filter((name) => name !== "[")[random(NAMES.length - 1)]!;
    object[name] = randomValue(random, depth - 1);
  }
  return object;
}

function randomValue(random: (below: number) => number, depth: number): FormValue {
  if (depth === 0 || random(3) === 0) return NAMES[random(NAMES.length)]!.repeat(random(3));
  if (random(2) === 0) return randomObject(random, depth);
  return Array.from({ length: random(3) + 1 }, () => randomValue(random, depth - 1));
}

function write(pairs: string[], key: string, value: FormValue): void {
  if (typeof value === "string") {
    pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  } else for (const [name, part] of Object.entries(value)) write(pairs, `${key}[${name}]`, part);
}

Deno.test("Whatever comes is read as plain texts, lists without holes and objects without prototype, or refused in words", () => {
  const random = randomFrom(1998);
  const alphabet = [
    "a",
    "b",
    "0",
    "1",
    "[",
    "]",
    "[]",
    "&",
    "=",
    "%5B",
    "%5D",
    "%",
    "+",
    "__proto__",
    "\xff",
    "9",
  ];
  let refusals = 0;
  for (let round = 0; round < 5000; round++) {
    const text = Array.from({ length: random(60) }, () => alphabet[random(alphabet.length)]).join(
      "",
    );
    const body = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const limits = { maxDepth: random(6), maxParts: random(30) + 1 };
    try {
      const parts = checkPlain(parsePhpForm(body, limits), limits.maxDepth + 1);
      assert(parts <= 2 * limits.maxParts, text);
    } catch (error) {
      assert(
        error instanceof TypeError && error.message.startsWith("Cannot read the form: "),
        text,
      );
      refusals++;
    }
  }
  assert(refusals > 100 && refusals < 4900, `${refusals}`);
});

/** How many texts and groups a value has, all told. */
function checkPlain(value: FormValue, depth: number): number {
  if (typeof value === "string") return 1;
  assert(depth >= 0);
  if (Array.isArray(value)) assertEquals(Object.keys(value).length, value.length);
  else assertEquals(Object.getPrototypeOf(value), null);
  return Object.values(value).reduce((sum, part) => sum + checkPlain(part, depth - 1), 1);
}
