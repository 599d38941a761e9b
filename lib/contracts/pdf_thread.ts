/**
 * The thread that makes PDFs: takes a document, answers with its bytes or with what went wrong.
 * @module
 */
import { describeError } from "../base/errors.ts";
import type { ContractDocument } from "./document.ts";
import { makePdf } from "./pdf.ts";
import type { Pdf } from "./renderer.ts";

/** What the thread answers. */
export type PdfAnswer = { readonly pdf: Pdf } | { readonly error: string };

/** The global scope of a thread, which the types of the main program do not describe. */
interface Scope {
  onmessage: ((message: MessageEvent<ContractDocument>) => void) | null;
  postMessage(answer: PdfAnswer, transfer: Transferable[]): void;
}

const scope = self as unknown as Scope;

scope.onmessage = async ({ data }) => {
  try {
    const pdf = await makePdf(data);
    scope.postMessage({ pdf }, [pdf.buffer]);
  } catch (error) {
    scope.postMessage({ error: describeError(error) }, []);
  }
};
