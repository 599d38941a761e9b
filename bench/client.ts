/**
 * A sender of signed deliveries that costs little itself: requests are made beforehand, byte for byte.
 * @module
 */
import { signedHeaders } from "../demo/site.ts";

/** A request to the site's hook, ready to be written to a connection. */
export type PreparedRequest = Uint8Array<ArrayBuffer>;

/** What the receiver answered, and when it was heard, in milliseconds since 1970. */
export interface Heard {
  readonly status: number;
  readonly body: string;
  readonly atMs: number;
}

/** One kept connection, which carries one request at a time. */
export interface Connection extends Disposable {
  send(request: PreparedRequest): Promise<Heard>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const BUFFER_BYTES = 16 * 1024;

/** Signed forms, each a new event. Of each `1 / repeats` one repeats the event before; none does when it is 0. */
export function prepareRequests(
  count: number,
  { secret, repeats }: { secret: string; repeats: number },
): PreparedRequest[] {
  const run = crypto.randomUUID();
  const every = repeats === 0 ? Infinity : Math.round(1 / repeats);
  return Array.from({ length: count }, (_, index) => {
    const number = index % every === every - 1 ? index - 1 : index;
    return prepareRequest(
      JSON.stringify({
        id: `${run}-${number}`,
        name: "Ada Lovelace",
        phone: "+49 30 1234567",
        message: "Please call me back about the offer of last week.",
      }),
      secret,
    );
  });
}

function prepareRequest(body: string, secret: string): PreparedRequest {
  const headers = Object.entries({
    host: "bench",
    ...signedHeaders(body, secret),
    "content-length": `${encoder.encode(body).length}`,
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return encoder.encode(`POST /hooks/site HTTP/1.1\r\n${head}\r\n${body}`);
}

/** Connects to a receiver on this machine. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = await Deno.connect({ hostname: "127.0.0.1", port });
  socket.setNoDelay();
  const buffer = new Uint8Array(BUFFER_BYTES);
  return {
    async send(request) {
      for (let sent = 0; sent < request.length;) sent += await socket.write(request.subarray(sent));
      let text = "";
      for (;;) {
        const length = await socket.read(buffer);
        if (length === null) throw new Error("Cannot read the answer: the receiver hung up");
        text += decoder.decode(buffer.subarray(0, length));
        const body = bodyOf(text);
        if (body === undefined) continue;
        const atMs = performance.timeOrigin + performance.now();
        return { status: Number(text.slice(9, 12)), body, atMs };
      }
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

/** The body of an answer once it is whole; ours are ASCII, so that characters are bytes. */
function bodyOf(text: string): string | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end));
  const body = text.slice(end + 4);
  return body.length < Number(length?.[1] ?? 0) ? undefined : body;
}

/** What came of many requests. */
export interface Sent {
  /** Deliveries that were taken, a second. */
  readonly perSecond: number;
  /** How many were told to come again later. */
  readonly refused: number;
}

/** Sends all requests over so many connections, each as fast as it is answered. Throws on an answer but 202 and 503. */
export async function sendAll(
  port: number,
  requests: readonly PreparedRequest[],
  connections: number,
): Promise<Sent> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const beganMs = performance.now();
  let [next, refused] = [0, 0];
  await Promise.all(open.map(async (connection) => {
    for (let request; (request = requests[next++]);) {
      const { status, body } = await connection.send(request);
      if (status === 503) refused++;
      else if (status !== 202) throw new Error(`Cannot count an answer ${status}: ${body}`);
    }
  }));
  const seconds = (performance.now() - beganMs) / 1000;
  open.forEach((connection) => connection[Symbol.dispose]());
  return { perSecond: (requests.length - refused) / seconds, refused };
}
