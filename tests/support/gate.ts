/** A gate before an HTTP server: the test decides when a request is let in, and when its answer is let out. */

import { serveHttp } from "../outside/servers.ts";

/** Which request is stopped, and on which side of the server. */
export interface Stop {
  readonly method: string;
  /** What its path has in it. */
  readonly path: string;
  /** `before` the server has seen it, or `after` it was carried out. */
  readonly when: "before" | "after";
}

/** A stop at the gate. */
export interface Held {
  /** Resolves when a request stands there. */
  readonly reached: Promise<void>;
  /** Lets it go on, whether or not somebody still waits for the answer. */
  release(): void;
  /** Lets it go no further: the server never sees it, or its answer is never seen. */
  drop(): void;
}

/** A gate. */
export interface Gate extends AsyncDisposable {
  readonly url: URL;
  /** Stops the next request that fits; later ones pass. */
  hold(stop: Stop): Held;
}

/** Puts a gate before a server. */
export function startGate(target: URL): Gate {
  const stops: { stop: Stop; reach(): void; passes: Promise<boolean> }[] = [];
  const passes = async ({ method, url }: Request, when: Stop["when"]) => {
    const fits = ({ stop }: { stop: Stop }) =>
      stop.when === when && stop.method === method && new URL(url).pathname.includes(stop.path);
    const index = stops.findIndex(fits);
    if (index < 0) return true;
    const [found] = stops.splice(index, 1);
    found!.reach();
    return await found!.passes;
  };
  const server = serveHttp(async (request) => {
    const { method, headers } = request;
    const body = await request.bytes();
    if (!await passes(request, "before")) return new Response(null, { status: 502 });
    const { pathname, search } = new URL(request.url);
    const answer = await fetch(new URL(pathname + search, target), {
      method,
      headers: withoutHost(headers),
      body: body.length === 0 ? undefined : body,
      redirect: "manual",
    });
    const answered = await answer.bytes();
    if (!await passes(request, "after")) return new Response(null, { status: 502 });
    const { status } = answer;
    return new Response(status === 204 ? null : answered, { status, headers: answer.headers });
  });
  return {
    url: server.url,
    hold(stop) {
      const reached = Promise.withResolvers<void>();
      const passing = Promise.withResolvers<boolean>();
      stops.push({ stop, reach: reached.resolve, passes: passing.promise });
      return {
        reached: reached.promise,
        release: () => passing.resolve(true),
        drop: () => passing.resolve(false),
      };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function withoutHost(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["host", "content-length"]) kept.delete(name);
  return kept;
}
