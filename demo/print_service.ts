/**
 * A print service for the drill: slow, and its PDF is no more than the page that it was sent, between the marks of a PDF.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Hold } from "./hold.ts";

/** A running print service. Dispose of it to close its port and its connections. */
export interface PrintService extends AsyncDisposable {
  readonly url: URL;
  /** The pages that it was sent, in the order in which they came. */
  readonly pages: readonly string[];
  /** The next page that has `part` in it waits there. */
  holdPage(part: string, hold: Hold): void;
}

/** Starts one that takes so long for each page. */
export async function startPrintService(
  { delayMs }: { delayMs: number },
): Promise<PrintService> {
  const pages: string[] = [];
  const holds = new Map<string, Hold>();

  async function print(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const page = await text(request).catch(() => undefined);
    // Its sender was killed.
    if (page === undefined) return;
    pages.push(page);
    const [part, hold] = [...holds].find(([part]) => page.includes(part)) ?? [];
    if (part !== undefined) holds.delete(part);
    await hold?.pass();
    const timer = setTimeout(() => {
      response.writeHead(200, { "content-type": "application/pdf" });
      response.end(`%PDF-1.7\n${page}\n%%EOF\n`);
    }, delayMs);
    response.once("close", () => clearTimeout(timer));
  }

  const server = createServer(print);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    pages,
    holdPage: (part, hold) => void holds.set(part, hold),
    [Symbol.asyncDispose]() {
      return new Promise<void>((resolve, reject) => {
        server.close((error) => error ? reject(error) : resolve());
        server.closeAllConnections();
      });
    },
  };
}
