/** A wire between the app and Postgres that a test can cut or freeze, without touching the server. */

/** A proxy in front of one database URL. */
export interface Proxy extends AsyncDisposable {
  /** The database's URL, by way of the proxy. */
  url: string;
  /** How many clients are connected now. */
  readonly connections: number;
  /** Closes every connection and refuses new ones: the server is gone. */
  cut(): void;
  /** Keeps and takes connections but moves no byte: the server, or the way to it, is stuck. */
  freeze(): void;
  /** Works again; what was frozen goes on. */
  heal(): void;
}

interface Address {
  hostname: string;
  port: number;
}

/** Starts a proxy on a free port of this machine. */
export function startProxy(targetUrl: string): Proxy {
  const target = new URL(targetUrl);
  const door = new Door({ hostname: target.hostname, port: Number(target.port || 5432) });
  target.host = `127.0.0.1:${door.port}`;
  return {
    url: target.href,
    get connections() {
      return door.wires.size;
    },
    cut: () => door.close(),
    freeze: () => door.gate.freeze(),
    heal() {
      door.open();
      door.gate.thaw();
    },
    async [Symbol.asyncDispose]() {
      door.close();
      await door.closed();
    },
  };
}

/** Where clients come in; its port stays the same while it is closed. */
class Door {
  readonly wires = new Set<Wire>();
  readonly gate = new Gate();
  readonly #target: Address;
  readonly #running: Promise<void>[] = [];
  #listener: Deno.TcpListener | undefined;
  port = 0;

  constructor(target: Address) {
    this.#target = target;
    this.open();
  }

  open(): void {
    if (this.#listener) return;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: this.port });
    this.port = this.#listener.addr.port;
    this.#running.push(this.#accept(this.#listener));
  }

  close(): void {
    this.#listener?.close();
    this.#listener = undefined;
    for (const wire of this.wires) wire.close();
    this.gate.thaw();
  }

  async closed(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #accept(listener: Deno.TcpListener): Promise<void> {
    const running: Promise<void>[] = [];
    for await (const client of listener) running.push(this.#connect(client));
    await Promise.all(running);
  }

  async #connect(client: Deno.Conn): Promise<void> {
    const wire = new Wire(client);
    this.wires.add(wire);
    await wire.run(this.#target, this.gate);
    this.wires.delete(wire);
  }
}

/** Lets bytes through, or holds them. */
class Gate {
  #frozen: PromiseWithResolvers<void> | undefined;

  freeze(): void {
    this.#frozen ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#frozen?.resolve();
    this.#frozen = undefined;
  }

  async passable(): Promise<void> {
    while (this.#frozen) await this.#frozen.promise;
  }
}

/** One client's connection and its counterpart at the server. */
class Wire {
  readonly #ends: Deno.Conn[];
  #closed = false;

  constructor(client: Deno.Conn) {
    this.#ends = [client];
  }

  async run(target: Address, gate: Gate): Promise<void> {
    try {
      const server = await Deno.connect(target);
      if (this.#closed) return server.close();
      const [client] = this.#ends;
      this.#ends.push(server);
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
    const buffer = new Uint8Array(65_536);
    try {
      for (let read; (read = await from.read(buffer)) !== null;) {
        await gate.passable();
        if (this.#closed) return;
        for (let sent = 0; sent < read;) sent += await to.write(buffer.subarray(sent, read));
      }
    } finally {
      this.close();
    }
  }
}
