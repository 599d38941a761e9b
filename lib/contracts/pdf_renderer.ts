/**
 * Prints by pdfmake, in a thread: a contract takes from half a second to several, in which the event loop renews leases.
 * @module
 */
import { PermanentError } from "../base/errors.ts";
import type { ContractDocument } from "./document.ts";
import type { PdfAnswer } from "./pdf_thread.ts";
import type { ContractRenderer, Pdf } from "./renderer.ts";

interface Request {
  readonly document: ContractDocument;
  resolve(pdf: Pdf): void;
  reject(error: unknown): void;
}

/** Shared by all jobs of a process. */
export const pdfRenderer: ContractRenderer = createPdfRenderer();

/**
 * Makes a renderer with a thread of its own, which prints one document at a time. The thread lives as long as documents
 * wait, so nothing has to be closed; an aborted render takes the thread down with it, and the next one gets a new thread.
 *
 * `render` throws PermanentError for a document that cannot be set.
 */
export function createPdfRenderer(): ContractRenderer {
  /** The first one is being printed. */
  const queue: Request[] = [];
  let thread: Worker | undefined;

  function advance(): void {
    const [first] = queue;
    if (first === undefined) return endThread();
    thread ??= startThread();
    thread.postMessage(first.document);
  }

  function startThread(): Worker {
    const started = new Worker(new URL("./pdf_thread.ts", import.meta.url), { type: "module" });
    started.onmessage = ({ data }: MessageEvent<PdfAnswer>) => {
      // A terminated thread may have sent its answer before.
      if (started !== thread) return;
      const request = queue.shift()!;
      if ("pdf" in data) request.resolve(data.pdf);
      else request.reject(new PermanentError(`Cannot set the contract: ${data.error}`));
      advance();
    };
    started.onerror = (event) => {
      event.preventDefault();
      endThread();
      queue.shift()?.reject(new Error(`The thread that prints contracts ended: ${event.message}`));
      advance();
    };
    return started;
  }

  function endThread(): void {
    thread?.terminate();
    thread = undefined;
  }

  function leave(request: Request): void {
    const place = queue.indexOf(request);
    if (place < 0) return;
    queue.splice(place, 1);
    if (place > 0) return;
    endThread();
    advance();
  }

  return {
    async render(document, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Pdf>();
      const request = { document, resolve, reject };
      const stop = () => {
        leave(request);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      if (queue.push(request) === 1) advance();
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };
}
