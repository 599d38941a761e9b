/** A receiver that says it is well, takes deliveries, and hangs up instead of answering. */

/** Ended when the test leaves its scope. */
export interface DeafReceiver extends AsyncDisposable {
  readonly port: number;
  /** How many deliveries it was sent. */
  taken(): number;
}

/** Starts one on a free port of this machine. */
export function startDeafReceiver(): DeafReceiver {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let taken = 0;
  const answer = async (connection: Deno.Conn) => {
    const buffer = new Uint8Array(4096);
    const request = new TextDecoder().decode(
      buffer.subarray(0, await connection.read(buffer) ?? 0),
    );
    if (request.startsWith("POST ")) taken++;
    const health = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    if (request.startsWith("GET ")) await connection.write(new TextEncoder().encode(health));
    connection.close();
  };
  const accept = async () => {
    const answers = [];
    for await (const connection of listener) answers.push(answer(connection));
    await Promise.all(answers);
  };
  const over = accept();
  return {
    port: listener.addr.port,
    taken: () => taken,
    async [Symbol.asyncDispose]() {
      listener.close();
      await over;
    },
  };
}
