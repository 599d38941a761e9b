import { assertEquals, assertRejects } from "@std/assert";
import { PermanentError } from "../../../lib/base/errors.ts";
import type { Api, Question } from "../../../lib/outside/amocrm/api.ts";
import { rowsOf } from "../../../lib/outside/amocrm/pages.ts";
import { z } from "zod";
import { keptLog } from "../support.ts";

const list = {
  what: "list things",
  path: "/things",
  key: "things",
  row: z.object({ id: z.string() }),
  limit: 2,
};

/** An API whose answers the test writes, by the number of the page. */
function apiOf(answer: (page: number) => unknown) {
  const pages: number[] = [];
  const log = keptLog();
  const ask = <T>({ query, schema }: Question<T>) => {
    const page = Number(query!.page);
    pages.push(page);
    const said = answer(page);
    return Promise.resolve(said === undefined ? undefined : schema.parse(said));
  };
  return { api: { ask, log } as Pick<Api, "ask" | "log"> as Api, pages, log };
}

const pageOf = (ids: string[], next?: string) => ({
  _links: next === undefined ? {} : { next: { href: next } },
  _embedded: { things: ids.map((id) => ({ id })) },
});

Deno.test("A list that never ends is given up after 2,000 pages, with its progress in the log", async () => {
  const { api, pages, log } = apiOf((page) => pageOf([`${page}`], "more"));
  await assertRejects(() => Array.fromAsync(rowsOf(api, list)), PermanentError, "2000 pages");
  assertEquals([pages.length, log.lines.length], [2000, 200]);
  assertEquals(log.lines[0], 'list things: pages read {"page":10,"rows":10}');
});

Deno.test("A page past the end is 204 and ends the list, as does a page without a next one", async () => {
  const full = apiOf((page) => page === 1 ? pageOf(["a", "b"], "more") : undefined);
  assertEquals(await Array.fromAsync(rowsOf(full.api, list)), [{ id: "a" }, { id: "b" }]);
  assertEquals(full.pages, [1, 2]);
  const short = apiOf(() => pageOf(["a"]));
  assertEquals(await Array.fromAsync(rowsOf(short.api, list)), [{ id: "a" }]);
  assertEquals(short.pages, [1]);
});

Deno.test("Whoever stops looking reads no further page", async () => {
  const { api, pages } = apiOf((page) => pageOf([`${page}`], "more"));
  for await (const { id } of rowsOf(api, list)) if (id === "3") break;
  assertEquals(pages, [1, 2, 3]);
});
