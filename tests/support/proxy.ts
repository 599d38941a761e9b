/** A wire between the app and Postgres that a test can cut or freeze, without touching the server. */

/** A proxy in front of one database URL. */
export interface Proxy extends AsyncDisposable {
  /** The database's URL, by way of the proxy. */
  url: string;
  /** How many clients are connected now. */
  readonly connections: number;
  /** Closes every connection and takes no new ones: the server is gone. */
  cut(): void;
  /** Keeps and takes connections but moves no byte: the server, or the way to it, is stuck. */
  freeze(): void;
  /** Works again; what was frozen goes on. */
  heal(): void;
}

type State = "open" | "cut" | "frozen";

/** Starts a proxy on a free port of this machine. */
export function startProxy(targetUrl: string): Proxy {
  const target = new URL(targetUrl);
  const gate = new Gate();
  const wires = new Set<Wire>();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = { hostname: target.hostname, port: Number(target.port || 5432) };
  const accepting = accept(listener, address, gate, wires);
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${listener.addr.port}`;
  return {
    url: url.href,
    get connections() {
      return wires.size;
    },
    cut() {
      gate.turn("cut");
      for (const wire of wires) wire.close();
    },
    freeze: () => gate.turn("frozen"),
    heal: () => gate.turn("open"),
    async [Symbol.asyncDispose]() {
      this.cut();
      listener.close();
      await accepting;
    },
  };
}

/** What lets bytes through, or holds them. */
class Gate {
  #state: State = "open";
  #turned = Promise.withResolvers<void>();

  get isCut(): boolean {
    return this.#state === "cut";
  }

  turn(state: State): void {
    this.#state = state;
    this.#turned.resolve();
    this.#turned = Promise.withResolvers();
  }

  async passable(): Promise<void> {
    while (this.#state === "frozen") await this.#turned.promise;
  }
}

/** One client's connection and its counterpart at the server. */
class Wire {
  readonly #ends: Deno.Conn[] = [];
  #closed = false;

  constructor(client: Deno.Conn) {
    this.#ends.push(client);
  }

  async run(address: { hostname: string; port: number }, gate: Gate): Promise<void> {
    try {
      const server = await Deno.connect(address);
      this.#ends.push(server);
      if (this.#closed) return server.close();
      const [client] = this.#ends;
      await Promise.all([this.#copy(client!, server, gate), this.#copy(server, client!, gate)]);
    } catch {
      /* an end that is gone ends the wire, as a real one would */
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const end of this.#ends) end.close();
  }

  async #copy(from: Deno.Conn, to: Deno.Conn, gate: Gate): Promise<void> {
    try {
      for await (const chunk of from.readable) {
        await gate.passable();
        if (this.#closed) return;
        for (let sent = 0; sent < chunk.length;) sent += await to.write(chunk.subarray(sent));
      }
    } finally {
      this.close();
    }
  }
}

async function accept(
  listener: Deno.Listener,
  address: { hostname: string; port: number },
  gate: Gate,
  wires: Set<Wire>,
): Promise<void> {
  const running: Promise<void>[] = [];
  for await (const client of listener) {
    const wire = new Wire(client);
    if (gate.isCut) wire.close();
    else running.push(track(wire, wires, wire.run(address, gate)));
  }
  await Promise.all(running);
}

async function track(wire: Wire, wires: Set<Wire>, running: Promise<void>): Promise<void> {
  wires.add(wire);
  await running;
  wires.delete(wire);
}
