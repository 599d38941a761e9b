/** HTTP/1.1 by hand, for what no well-behaved client does. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One answer. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A connection on which requests can be sent piece by piece. */
export interface Wire extends Disposable {
  write(bytes: string | Uint8Array): Promise<void>;
  /** The next answer; it must declare its length. */
  read(): Promise<Answer>;
  /** The head of the next answer, when nothing comes after it. */
  readHead(): Promise<string>;
  /** Resolves when the other side has ended the connection; what still came is dropped. */
  ended(): Promise<void>;
}

/** Connects to a server of this machine; by TLS when a certificate is given that it has to prove itself by. */
export async function dial(port: number, caCert?: string): Promise<Wire> {
  const plain = await Deno.connect({ hostname: "127.0.0.1", port });
  if (caCert === undefined) return wireOver(plain);
  return wireOver(await Deno.startTls(plain, { hostname: "localhost", caCerts: [caCert] }));
}

function wireOver(connection: Deno.Conn): Wire {
  let rest = "";
  const more = async () => {
    const buffer = new Uint8Array(4096);
    const count = await connection.read(buffer);
    if (count === null) throw new Error(`The connection ended after ${JSON.stringify(rest)}`);
    rest += decoder.decode(buffer.subarray(0, count));
  };
  const readHead = async () => {
    while (!rest.includes("\r\n\r\n")) await more();
    return rest.slice(0, rest.indexOf("\r\n\r\n"));
  };
  return {
    async write(bytes) {
      const data = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
      for (let sent = 0; sent < data.length;) sent += await connection.write(data.subarray(sent));
    },
    readHead,
    async read() {
      const head = await readHead();
      const start = head.length + 4;
      const end = start + Number(/^content-length: (\d+)/im.exec(head)![1]);
      while (rest.length < end) await more();
      const body = rest.slice(start, end);
      rest = rest.slice(end);
      return { status: Number(head.split(" ")[1]), head, body };
    },
    async ended() {
      const buffer = new Uint8Array(4096);
      while (await readUnlessReset(connection, buffer) !== null);
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

/** A reset is an end as well. */
async function readUnlessReset(connection: Deno.Conn, buffer: Uint8Array): Promise<number | null> {
  try {
    return await connection.read(buffer);
  } catch (error) {
    const { ConnectionReset, UnexpectedEof } = Deno.errors;
    if (error instanceof ConnectionReset || error instanceof UnexpectedEof) return null;
    throw error;
  }
}

/** The head of a POST; `length` is the declared one, "chunked" when it is left open. */
export function postHead(
  path: string,
  length: number | "chunked",
  headers: Record<string, string> = {},
): string {
  const framing = length === "chunked" ? "transfer-encoding: chunked" : `content-length: ${length}`;
  const lines = { host: "127.0.0.1", ...headers };
  const more = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST ${path} HTTP/1.1\r\n${framing}\r\n${more}\r\n`;
}

/** Sends a whole body of this many bytes before it listens, as simple clients do. */
export async function postBlindly(
  port: number,
  path: string,
  bytes: number,
  framing: Framing,
): Promise<Answer> {
  using wire = await dial(port);
  await writeBlindly(
    wire,
    postHead(path, framing === "chunked" ? "chunked" : bytes),
    bytes,
    framing,
  );
  return await wire.read();
}

/** How a body says how long it is. */
export type Framing = "declared" | "chunked";

/** Writes a head, and a body of this many bytes. */
export async function writeBlindly(
  wire: Wire,
  head: string,
  bytes: number,
  framing: Framing,
): Promise<void> {
  const piece = new Uint8Array(64_000).fill(0x20);
  const chunked = framing === "chunked";
  await wire.write(head);
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (chunked) await wire.write(`${piece.length.toString(16)}\r\n`);
    await wire.write(piece);
    if (chunked) await wire.write("\r\n");
  }
  if (chunked) await wire.write("0\r\n\r\n");
}

/** Whether nobody listens on a port of this machine any more. */
export async function isRefused(port: number): Promise<boolean> {
  try {
    (await dial(port))[Symbol.dispose]();
    return false;
  } catch (error) {
    const { ConnectionRefused, ConnectionReset } = Deno.errors;
    if (error instanceof ConnectionRefused || error instanceof ConnectionReset) return true;
    throw error;
  }
}
