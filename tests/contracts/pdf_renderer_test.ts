import { assert, assertEquals, assertRejects } from "@std/assert";
import { PermanentError } from "../../lib/base/errors.ts";
import type { ContractDocument } from "../../lib/contracts/document.ts";
import { createPdfRenderer } from "../../lib/contracts/pdf_renderer.ts";
import { sha256 } from "../../lib/contracts/storage.ts";
import { documentOf, sampleData, signal } from "./support.ts";

async function longDocument(count: number): Promise<ContractDocument> {
  const { items } = await sampleData();
  const many = Array.from({ length: count }, (_, index) => items[index % items.length]!);
  return await documentOf([
    "[[низ страницы]] № {{номер}} || Стр. {{страница}} из {{страниц}}",
    "[[таблица]]",
  ], {
    items: many,
  });
}

Deno.test("A contract that is printed again, after others and in a new thread, has the same bytes", async () => {
  const [document, other] = [await longDocument(4), await longDocument(5)];
  const one = createPdfRenderer();
  const printed = await Promise.all(
    [document, other, document].map((each) => one.render(each, signal)),
  );
  const again = await createPdfRenderer().render(document, signal);
  const [first, second, third] = await Promise.all(printed.map(sha256));
  assertEquals([third, await sha256(again)], [first, first]);
  assert(first !== second);
});

Deno.test("The event loop goes on while a long contract is printed", async () => {
  const document = await longDocument(300);
  let beats = 0;
  const timer = setInterval(() => beats++, 10);
  const started = performance.now();
  await createPdfRenderer().render(document, signal);
  const tookMs = performance.now() - started;
  clearInterval(timer);
  assert(beats > tookMs / 10 / 4, `${beats} beats in ${tookMs} ms`);
});

Deno.test("A render that is aborted ends at once, and whoever is next gets their own contract and not that one", async () => {
  const renderer = createPdfRenderer();
  const job = new AbortController();
  const next = await longDocument(1);
  const long = renderer.render(await longDocument(2000), job.signal);
  const behind = renderer.render(next, signal);
  job.abort(new Error("the lease was lost"));
  await assertRejects(() => long, Error, "the lease was lost");
  const own = await createPdfRenderer().render(next, signal);
  assertEquals(await sha256(await behind), await sha256(own));
});

Deno.test("A render that is aborted while it waits does not disturb the one that is printed", async () => {
  const renderer = createPdfRenderer();
  const job = new AbortController();
  const printed = renderer.render(await longDocument(1), signal);
  const waiting = renderer.render(await longDocument(2), job.signal);
  job.abort(new Error("stop"));
  await assertRejects(() => waiting, Error, "stop");
  assert((await printed).length > 1000);
  await assertRejects(() => renderer.render({} as ContractDocument, job.signal), Error, "stop");
});

Deno.test("A document that cannot be set fails for good, and the renderer goes on", async () => {
  const renderer = createPdfRenderer();
  const broken = { ...await longDocument(1), date: "never" };
  await assertRejects(() => renderer.render(broken, signal), PermanentError, "Cannot set");
  assert((await renderer.render(await longDocument(1), signal)).length > 1000);
});
