/** A proxy with two receivers behind it, and what tests do to it. */

import https from "node:https";
import { serve, type Server } from "../../../lib/web/server.ts";
import { installed, nameWith } from "../../support/installed.ts";
import { signed, type TestReceiver } from "../../web/support.ts";
import { type Answer, postHead, type Wire } from "../../web/wire.ts";
import { PROXIES, type StartProxy, type WebProxy } from "./proxies.ts";

/** A delivery of the tests' source, and where it goes. */
export const BODY = '{"id":"e1"}';
export const HOOK = "/hooks/signing";

const openssl = installed("/usr/bin/openssl", "/bin/openssl");

/** A proxy with receivers behind it; all gone when the test leaves its scope. */
export interface Site extends AsyncDisposable {
  readonly proxy: WebProxy;
  readonly receiver: TestReceiver;
  /** Where the receiver listens: twice, or once beside the port of the test. */
  readonly servers: readonly Server[];
  /** From which ports deliveries came to the receivers: a port is a connection. */
  readonly connections: ReadonlySet<number>;
}

/** Starts a site; with a port, that stands in the place of the first receiver. */
export async function startSite(
  start: StartProxy,
  receiver: TestReceiver,
  port?: number,
): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  stack.use(receiver);
  const connections = new Set<number>();
  const listen = () => {
    const server: Server = serve(receiver.app, (request, info) => {
      if (request.method === "POST") connections.add(info.remoteAddr.port);
      return receiver.handler(request, info);
    }, { hostname: "127.0.0.1", port: 0 });
    stack.defer(() => server.stop());
    return server;
  };
  const servers = port === undefined ? [listen(), listen()] : [listen()];
  const [first, second] = [...port === undefined ? [] : [port], ...servers.map(({ port }) => port)];
  const proxy = stack.use(await start([first!, second!]));
  const held = stack.move();
  return {
    proxy,
    receiver,
    servers,
    connections,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Makes a test for each proxy; ignored, by name, where one is not installed. */
export function testProxies(name: string, work: (start: StartProxy) => Promise<void>): void {
  for (const [proxy, { program, start }] of Object.entries(PROXIES)) {
    const needed: Record<string, string | undefined> = { [proxy]: program, openssl };
    Deno.test({
      name: nameWith(needed, `${proxy}: ${name}`),
      ignore: Object.values(needed).includes(undefined),
      fn: () => work(start),
    });
  }
}

/** Posts over a connection, signed. */
export async function post(
  wire: Wire,
  path: string = HOOK,
  body: string = BODY,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const lines = { host: "localhost", ...signed(body), ...headers };
  await wire.write(postHead(path, body.length, lines) + body);
  return await wire.read();
}

/** Posts a delivery from another address of this machine; gives the status. */
export async function postFrom(
  localAddress: string,
  { port, caCert: ca }: WebProxy,
  headers: Record<string, string>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = {
    host: "127.0.0.1",
    servername: "localhost",
    port,
    ca,
    localAddress,
    agent: false,
  };
  const request = https.request({
    ...options,
    method: "POST",
    path: HOOK,
    headers: { host: "localhost", "content-length": BODY.length, ...signed(BODY), ...headers },
  }, (response) => {
    response.resume();
    response.on("end", () => resolve(response.statusCode!));
  });
  request.on("error", reject);
  request.end(BODY);
  return await promise;
}
