/**
 * Prints by an outside service: HTML goes there by POST, a PDF comes back.
 * @module
 */
import { PermanentError, TemporaryError } from "../base/errors.ts";
import { documentHtml } from "./html.ts";
import type { Outside } from "../base/outside.ts";
import type { ContractRenderer, Pdf } from "./renderer.ts";

const WHAT = "print the contract";
const MAX_PDF_BYTES = 32 * 2 ** 20;
/** A PDF ends with its mark, and at most a few spaces. */
const TAIL_BYTES = 1024;

/** Where the print service is, and how long it may take. */
export interface PrintService {
  readonly url: string;
  readonly deadlineSeconds: number;
}

/**
 * A renderer that asks a print service. `render` throws TemporaryError when there is no whole answer in time or the answer
 * is no PDF, which a busy proxy may be the reason of; PermanentError for other 3xx and 4xx and a PDF of 32 MiB or more.
 */
export function createPrintService(service: PrintService, outside: Outside): ContractRenderer {
  return {
    async render(document, signal) {
      signal.throwIfAborted();
      const answer = await outside.call({
        what: WHAT,
        url: new URL(service.url),
        method: "POST",
        headers: { "content-type": "text/html; charset=utf-8", accept: "application/pdf" },
        body: documentHtml(document),
        // A page that was printed in vain harms nobody.
        idempotent: true,
        reads: true,
        deadlineSeconds: service.deadlineSeconds,
        maxBodyBytes: MAX_PDF_BYTES,
        signal,
      });
      outside.check(answer, WHAT);
      return checkedPdf(answer.body);
    },
  };
}

function checkedPdf(body: Pdf): Pdf {
  if (body.length >= MAX_PDF_BYTES) {
    throw new PermanentError(
      `Cannot ${WHAT}: the PDF has ${MAX_PDF_BYTES} bytes or more; see what the service prints`,
    );
  }
  const latin = (bytes: Pdf) => new TextDecoder("latin1").decode(bytes);
  if (!latin(body.subarray(0, 5)).startsWith("%PDF-")) {
    throw new TemporaryError(
      `Cannot ${WHAT}: the answer is no PDF; see what CONTRACT_PRINT_URL is`,
    );
  }
  if (!latin(body.subarray(-TAIL_BYTES)).includes("%%EOF")) {
    throw new TemporaryError(`Cannot ${WHAT}: the PDF ends in the middle; it may pass`);
  }
  return body;
}
