/**
 * Makes a PDF of a document by pdfmake. Computes for a second or so, without a pause: only `pdf_thread.ts` calls it.
 * @module
 */
import { Buffer } from "node:buffer";
import pdfmake from "pdfmake";
// The fonts as a module: it is a part of the program, and no file is read when it runs.
import fonts from "pdfmake/build/vfs_fonts.js";
import type { ContractDocument } from "./document.ts";
import { pdfDefinition } from "./pdf_layout.ts";

const FACES = { normal: "Roboto-Regular.ttf", bold: "Roboto-Medium.ttf" };

for (const file of Object.values(FACES)) {
  pdfmake.virtualfs.writeFileSync(file, Buffer.from(fonts[file]!, "base64"));
}
pdfmake.setFonts({ Roboto: FACES });
// A document holds text only: nothing is fetched for it.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => false);

/** Sets and draws a document; the same document gives the same bytes. */
export async function makePdf(document: ContractDocument): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await pdfmake.createPdf(pdfDefinition(document)).getBuffer());
}
