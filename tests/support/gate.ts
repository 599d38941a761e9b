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
  /** Lets it go on, whether or not somebody still waits for it; resolves when the server has answered. */
  release(): Promise<void>;
  /** Lets it go no further: the server never sees it, or its answer is never seen. */
  drop(): void;
}

/** A gate. */
export interface Gate extends AsyncDisposable {
  readonly url: URL;
  /** What the server was asked, as `GET /path`. */
  readonly asked: readonly string[];
  /** How long each request, and each answer, is on its way. */
  slowness: () => number;
  /** Stops the next request that fits; later ones pass. */
  hold(stop: Stop): Held;
}

/** Puts a gate before a server. */
export function startGate(target: URL): Gate {
  const stops: Standing[] = [];
  const asked: string[] = [];
  const gate = { url: new URL(target), asked, slowness: () => 0 };
  const standAt = ({ method, url }: Request, when: Stop["when"]) => {
    const fits = ({ stop }: Standing) =>
      stop.when === when && stop.method === method && new URL(url).pathname.includes(stop.path);
    const index = stops.findIndex(fits);
    const [standing] = index < 0 ? [] : stops.splice(index, 1);
    standing?.reach();
    return standing;
  };
  const server = serveHttp(async (request) => {
    const { method, headers } = request;
    const body = await request.bytes();
    const { pathname, search } = new URL(request.url);
    await pause(gate.slowness());
    const before = standAt(request, "before");
    if (!(await before?.passes ?? true)) return new Response(null, { status: 502 });
    asked.push(`${method} ${pathname}`);
    const answer = await fetch(new URL(pathname + search, target), {
      method,
      headers: withoutHost(headers),
      body: body.length === 0 ? undefined : body,
      redirect: "manual",
    });
    const answered = await answer.bytes();
    before?.answered();
    await pause(gate.slowness());
    if (!(await standAt(request, "after")?.passes ?? true)) {
      return new Response(null, { status: 502 });
    }
    const { status } = answer;
    return new Response(status === 204 ? null : answered, { status, headers: answer.headers });
  });
  return Object.assign(gate, {
    url: server.url,
    hold(stop: Stop): Held {
      const reached = Promise.withResolvers<void>();
      const passing = Promise.withResolvers<boolean>();
      const answered = Promise.withResolvers<void>();
      if (stop.when === "after") answered.resolve();
      stops.push({
        stop,
        reach: reached.resolve,
        passes: passing.promise,
        answered: answered.resolve,
      });
      return {
        reached: reached.promise,
        release() {
          passing.resolve(true);
          return answered.promise;
        },
        drop: () => passing.resolve(false),
      };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

interface Standing {
  readonly stop: Stop;
  readonly passes: Promise<boolean>;
  reach(): void;
  answered(): void;
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((wake) => setTimeout(wake, ms));
}

function withoutHost(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["host", "content-length"]) kept.delete(name);
  return kept;
}
