import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { documentHtml } from "../../lib/contracts/html.ts";
import { documentOf } from "./support.ts";

Deno.test("documentHtml() runs nothing that a value of the CRM holds", async () => {
  const evil = `<script>alert("1")</script> & "`;
  const change = { city: evil, fields: { Срок: evil } };
  const html = documentHtml(
    await documentOf(
      ["[[низ страницы]] {{город}}", "", "{{город}}", "", "- {{поле.Срок}}"],
      change,
    ),
  );
  assertEquals(html.match(/<script/g), null);
  assertStringIncludes(html, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
});

Deno.test("documentHtml() lets a footer neither end the style nor its own string", async () => {
  const html = documentHtml(
    await documentOf(["[[низ страницы]] {{город}} || {{страница}} из {{страниц}}"], {
      city: `"</style>\\`,
    }),
  );
  assertStringIncludes(html, String.raw`content: "\22 \3c /style\3e \5c " }`);
  assertStringIncludes(html, `content: counter(page) " из " counter(pages) }`);
  assertEquals(html.match(/<\/style>/g)?.length, 1);
});

Deno.test("documentHtml() holds the numbers, the table and both parties, and needs nothing from elsewhere", async () => {
  const html = documentHtml(await documentOf(["## Предмет", "- Товар:", "[[таблица]]"]));
  assertStringIncludes(html, "<h2>1. Предмет</h2>");
  assertStringIncludes(html, `<span class="number">1.1.</span>`);
  assertStringIncludes(html, "523\u00a0334,75");
  assertStringIncludes(html, "«Пример-Монтаж»");
  assert(!/(src|href|url\()/.test(html));
});
