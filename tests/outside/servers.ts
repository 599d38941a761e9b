/** Servers that misbehave on demand, for tests of calls to the outside. */

/** A raw server: what happens on a connection is up to the test. */
export interface RawServer extends AsyncDisposable {
  readonly url: URL;
  /** The largest number of connections that were open at once. */
  readonly peak: number;
}

/** Serves each connection with `serve`, then closes it. Disposing ends what is still open. */
export function serveRaw(serve: (connection: Deno.Conn) => Promise<unknown>): RawServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let peak = 0;
  const done = (async () => {
    for await (const connection of listener) {
      open.add(connection);
      peak = Math.max(peak, open.size);
      serveOne(connection);
    }
  })();

  async function serveOne(connection: Deno.Conn): Promise<void> {
    try {
      await serve(connection);
    } catch (error) {
      // The client may hang up first, and disposing closes under a read.
      const expected = [Deno.errors.BadResource, Deno.errors.Interrupted];
      const hungUp = [Deno.errors.ConnectionReset, Deno.errors.BrokenPipe];
      if (![...expected, ...hungUp].some((type) => error instanceof type)) throw error;
    } finally {
      if (open.delete(connection)) connection.close();
    }
  }

  return {
    url: new URL(`http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/`),
    get peak() {
      return peak;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) connection.close();
      open.clear();
      await done;
    },
  };
}

/** Reads one request and returns its text; undefined when the client has hung up. */
export async function readRequest(connection: Deno.Conn): Promise<string | undefined> {
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const size = await connection.read(buffer);
    if (size === null) return undefined;
    text += new TextDecoder().decode(buffer.subarray(0, size));
    const end = text.indexOf("\r\n\r\n") + 4;
    const bodyLength = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (end >= 4 && text.length >= end + bodyLength) return text;
  }
}

/** Writes text as it is. */
export async function write(connection: Deno.Conn, text: string): Promise<void> {
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode(text));
  writer.releaseLock();
}

/** An HTTP server of one handler. */
export function serveHttp(
  handle: Deno.ServeHandler<Deno.NetAddr>,
): AsyncDisposable & { readonly url: URL } {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handle);
  return {
    url: new URL(`http://127.0.0.1:${server.addr.port}/`),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
