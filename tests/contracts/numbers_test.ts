import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseNumberFormat, seriesOf } from "../../lib/contracts/numbers.ts";

const DEAL = { date: "2026-12-01", leadId: "4521" };

function series(text: string, deal = DEAL) {
  const format = parseNumberFormat(text);
  if (typeof format === "string") throw new Error(format);
  return seriesOf(format, deal);
}

Deno.test("seriesOf() begins a new series when a field of the form changes, and only then", () => {
  assertEquals(series("{YYYY}-{0000}"), {
    name: "2026-#",
    prefix: "2026-",
    digits: 4,
    suffix: "",
    first: null,
  });
  const next = { ...DEAL, date: "2027-01-01" };
  assertEquals(series("{YYYY}-{0000}", next).name, "2027-#");
  assertEquals(series("Д-{000}/{MM}.{YY}").name, "Д-#/12.26");
  assertEquals(series("{DD}.{000}", { ...DEAL, leadId: "9" }), series("{DD}.{000}"));
});

Deno.test("seriesOf() does not begin a new series when the form only gets more digits", () => {
  assertEquals(series("{YY}/{000}").name, series("{YY}/{00000}").name);
});

Deno.test("seriesOf() gives a form without a counter its plain number first, and a counter behind it then", () => {
  assertEquals(series("D-{lead}/{YY}"), {
    name: "D-4521/26-#",
    prefix: "D-4521/26-",
    digits: 1,
    suffix: "",
    first: "D-4521/26",
  });
});

const WRONG: Record<string, string> = {
  "{YYYY}": "needs a counter",
  "договор": "needs a counter",
  "": "needs a counter",
  "{000}-{0000}": "has more than one counter",
  "{YYY}-{000}": "knows no {YYY}; did you mean YYYY?",
  "{year}-{000}": "knows no {year}",
  "{}{000}": "knows no {}",
  "{customer}{000}": "knows no {customer}; the fields are YYYY, YY, MM, DD, lead, 0000",
  "{YYYY-{000}": "has a { or }",
  "{000}}": "has a { or }",
  "{0000000000}": "knows no {0000000000}",
  "{000}\n": "holds a control character",
  "{constructor}{000}": "knows no {constructor}",
};

for (const [text, problem] of Object.entries(WRONG)) {
  Deno.test(`parseNumberFormat() refuses ${JSON.stringify(text)}: it ${problem}`, () => {
    assertStringIncludes(String(parseNumberFormat(text)), problem);
  });
}

Deno.test("parseNumberFormat() refuses a form that would not fit into a contract", () => {
  assertStringIncludes(String(parseNumberFormat(`${"x".repeat(60)}{0}`)), "60 characters");
});
