/** Contracts by the real worker: a deal at the stage gets one, with one number, one file and one note. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { startContractWorld } from "../support/contract_world.ts";

Deno.test("A deal at the stage gets a PDF with the number of its row, and a note that names it", async () => {
  await using world = await startContractWorld({ pdfmake: true });
  await world.worker();
  const deal = world.deal();
  const job = await world.system.jobIs(await world.enqueue(deal), "done", 30);
  const { rows: [row], notes: [note], files } = await world.found(deal);
  assertEquals(job.result, `contract ${row!.doc_number}, note ${note!.id}`);
  assertEquals(files, [row!.file_path]);
  const text = await world.read(files[0]!);
  for (const part of [`Договор поставки № ${row!.doc_number}`, "7700000016", "368 000,00"]) {
    assertStringIncludes(text, part);
  }
  assertStringIncludes(note!.text, `Договор № ${row!.doc_number}`);
});
