/** An outside world for tests: it creates what it is asked to, counts it, and can be slow. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How slow one creation is. */
export interface Slowness {
  /** Until it is there, whether or not anyone still waits for the answer. */
  readonly beforeMs: number;
  /** From then until the answer. */
  readonly afterMs: number;
}

/** A running world: `POST /things/<key>` creates one thing, `GET /things/<key>` tells its id. */
export interface World extends AsyncDisposable {
  readonly things: URL;
  /** The ids of all that was created, by key. */
  readonly created: ReadonlyMap<string, readonly string[]>;
  /** Creations asked for. */
  readonly asked: number;
  /** Looks that found something, and looks that did not. */
  readonly found: number;
  readonly missed: number;
}

/** Starts a world. */
export async function startWorld(
  slowness: () => Slowness = () => ({ beforeMs: 0, afterMs: 0 }),
): Promise<World> {
  const created = new Map<string, string[]>();
  const count = { asked: 0, found: 0, missed: 0, things: 0 };
  const underWay = new Set<Promise<void>>();

  async function create(key: string, response: ServerResponse): Promise<void> {
    count.asked++;
    const { beforeMs, afterMs } = slowness();
    await pause(beforeMs);
    const id = `${key}#${++count.things}`;
    created.set(key, [...created.get(key) ?? [], id]);
    await pause(afterMs);
    response.end(JSON.stringify({ id }));
  }
  function look(key: string, response: ServerResponse): void {
    const id = created.get(key)?.[0];
    count[id === undefined ? "missed" : "found"]++;
    response.statusCode = id === undefined ? 404 : 200;
    response.end(JSON.stringify({ id }));
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    // Whoever asks may be killed meanwhile; what it asked for is created all the same.
    request.on("error", () => {}).resume();
    const key = request.url!.slice("/things/".length);
    if (request.method === "GET") return look(key, response);
    const work = create(key, response).finally(() => underWay.delete(work));
    underWay.add(work);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    things: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/things/`),
    created,
    get asked() {
      return count.asked;
    },
    get found() {
      return count.found;
    },
    get missed() {
      return count.missed;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(underWay);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((wake) => setTimeout(wake, ms));
}
