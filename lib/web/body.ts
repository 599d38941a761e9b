/**
 * Reads a request's body as bytes, within a size and a time: the runtime knows neither limit.
 * @module
 */

/** How much of a body is taken, and how long it may take to arrive. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly deadlineMs: number;
}

/** How the reading of a body ended. */
export type Body =
  | { readonly is: "whole"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It is larger than `maxBytes`; at most one chunk beyond that was read. */
  | { readonly is: "too_large" }
  /** It was not whole when the deadline passed. */
  | { readonly is: "too_slow" }
  /** The connection ended first: the sender went away, or this process is stopping. */
  | { readonly is: "broken" };

/**
 * Reads the whole body, or says why not. Never throws.
 *
 * What is left unread `Deno.serve` discards by itself after it has sent the answer. Seen with 2.9.6:
 * a client that sends 8 or 60 MB before it listens still finds the status, and memory stays flat.
 * But it discards without limit, and no handler can close a connection: a sender that never ends
 * its body holds the connection, not the memory, until the proxy in front ends it.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  if (request.body === null) return { is: "whole", bytes: new Uint8Array() };
  if (Number(request.headers.get("content-length")) > limits.maxBytes) return { is: "too_large" };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Body>((resolve) => {
    timer = setTimeout(() => resolve({ is: "too_slow" }), limits.deadlineMs);
  });
  try {
    return await Promise.race([readChunks(request.body, limits.maxBytes), late]);
  } catch {
    return { is: "broken" };
  } finally {
    clearTimeout(timer);
  }
}

async function readChunks(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Body> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Leaving the loop early cancels the body: only then the runtime discards the rest.
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return { is: "too_large" };
    chunks.push(chunk);
  }
  return { is: "whole", bytes: join(chunks, length) };
}

function join(chunks: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  // Nearly every body arrives in one piece.
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(length);
  let end = 0;
  for (const chunk of chunks) {
    whole.set(chunk, end);
    end += chunk.length;
  }
  return whole;
}
