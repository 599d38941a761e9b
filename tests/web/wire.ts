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
}

/** Connects to a server of this machine. */
export async function dial(port: number): Promise<Wire> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  let rest = "";
  const more = async () => {
    const buffer = new Uint8Array(4096);
    const count = await connection.read(buffer);
    if (count === null) throw new Error(`The connection ended after ${JSON.stringify(rest)}`);
    rest += decoder.decode(buffer.subarray(0, count));
  };
  return {
    async write(bytes) {
      const data = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
      for (let sent = 0; sent < data.length;) sent += await connection.write(data.subarray(sent));
    },
    async read() {
      while (!rest.includes("\r\n\r\n")) await more();
      const head = rest.slice(0, rest.indexOf("\r\n\r\n"));
      const start = head.length + 4;
      const end = start + Number(/^content-length: (\d+)/im.exec(head)![1]);
      while (rest.length < end) await more();
      const body = rest.slice(start, end);
      rest = rest.slice(end);
      return { status: Number(head.split(" ")[1]), head, body };
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

/** The head of a POST; `length` is the declared one, "chunked" when it is left open. */
export function postHead(
  path: string,
  length: number | "chunked",
  headers: Record<string, string> = {},
): string {
  const framing = length === "chunked" ? "transfer-encoding: chunked" : `content-length: ${length}`;
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${framing}\r\n${more}\r\n`;
}

/** Sends a whole body of this many bytes before it listens, as simple clients do. */
export async function postBlindly(
  port: number,
  path: string,
  bytes: number,
  framing: "declared" | "chunked",
): Promise<Answer> {
  using wire = await dial(port);
  const piece = new Uint8Array(64_000).fill(0x20);
  const chunked = framing === "chunked";
  await wire.write(postHead(path, chunked ? "chunked" : bytes));
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (chunked) await wire.write(`${piece.length.toString(16)}\r\n`);
    await wire.write(piece);
    if (chunked) await wire.write("\r\n");
  }
  if (chunked) await wire.write("0\r\n\r\n");
  return await wire.read();
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
