import { assert, assertEquals } from "@std/assert";
import { FIELD_NAMES, fieldName, fieldValue, isField } from "../../lib/contracts/fields.ts";
import { sampleData } from "./support.ts";

Deno.test("Every placeholder has a value in the sample", async () => {
  const data = await sampleData();
  const empty = FIELD_NAMES.filter((name) => !fieldValue(name, data));
  assertEquals(empty, []);
});

Deno.test("The guide for templates names every placeholder", async () => {
  const guide = await Deno.readTextFile(
    new URL("../../templates/contract/README.md", import.meta.url),
  );
  const missing = FIELD_NAMES.filter((name) =>
    !guide.includes(`{{${name}}}`) && !guide.includes(`.${name.split(".")[1]}}}`)
  );
  assertEquals(missing, []);
});

Deno.test("A field of the deal is found whatever its case, its spaces and its ё", async () => {
  const data = await sampleData({ fields: { "Срок  Поставки": " 5 дней ", "Партнёр": "нет" } });
  assertEquals(fieldValue(fieldName(" поле.срок поставки"), data), "5 дней");
  assertEquals(fieldValue(fieldName("Поле.ПАРТНЕР"), data), "нет");
});

Deno.test("A field of the deal that is empty or not there has no value", async () => {
  const data = await sampleData({ fields: { Пусто: " " } });
  assertEquals(fieldValue("поле.пусто", data), undefined);
  assertEquals(fieldValue("поле.другое", data), undefined);
  assert(!isField("поле."));
});

Deno.test("A name that every object inherits is no placeholder", async () => {
  assert(!isField("constructor"));
  assert(!isField("__proto__"));
  assertEquals(fieldValue("поле.constructor", await sampleData()), undefined);
});

Deno.test("The VAT is named with its rate and sum, or it is said that none is paid", async () => {
  const data = await sampleData();
  const shown = (percent: number | null) =>
    fieldValue("ндс", { ...data, vatPercent: percent })!.replaceAll("\u00a0", " ");
  assertEquals(shown(22), "в том числе НДС 22 % — 94 371,84 руб.");
  assertEquals(shown(null), "НДС не облагается");
});
