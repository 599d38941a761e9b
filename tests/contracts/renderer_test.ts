import { assertEquals, assertRejects } from "@std/assert";
import { ContractDataError } from "../../lib/contracts/data.ts";
import type { ContractDocument } from "../../lib/contracts/document.ts";
import { renderContract } from "../../lib/contracts/renderer.ts";
import { sampleData, signal, templateOf } from "./support.ts";

Deno.test("renderContract() prints nothing while a placeholder has no value", async () => {
  const printed: ContractDocument[] = [];
  const renderer = {
    render(document: ContractDocument) {
      printed.push(document);
      return Promise.resolve(Uint8Array.of(1));
    },
  };
  const data = await sampleData({ fields: {} });
  const poor = templateOf("", "{{поле.Срок}}");
  await assertRejects(() => renderContract(poor, data, renderer, signal), ContractDataError);
  assertEquals(printed, []);
  assertEquals(await renderContract(templateOf(), data, renderer, signal), Uint8Array.of(1));
  assertEquals(printed.map(({ title, date }) => [title, date]), [["Договор", "2026-12-01"]]);
});
