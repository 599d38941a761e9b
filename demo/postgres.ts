/** A real Postgres for the demo and the tests, from a downloaded binary, without an installation. */

import { postgresBinaries } from "./postgres/binaries.ts";
import { openCluster } from "./postgres/cluster.ts";
import { makeHome, postgresUser } from "./postgres/home.ts";
import { type Run, type RunOptions, runPostgres, type StopMode } from "./postgres/process.ts";

/** Where the data is kept, and how safely. */
export interface PostgresOptions {
  /** An absolute path; made when missing, used again with its data when not. */
  dir: string;
  /** A free one by default. */
  port?: number;
  /** False trades safety for speed: fine for tests, whose data dies with them. */
  durable?: boolean;
  log?: (line: string) => void;
}

/** A running Postgres. */
export interface EmbeddedPostgres {
  url: string;
  port: number;
  /** Where the data really is: under the temp folder if the given one is closed to its user. */
  dir: string;
  stop(): Promise<void>;
  /** Starts it again on the same port with the same data, after stopping it if it runs. */
  restart(mode?: StopMode): Promise<void>;
  /** Ends it as a power cut would; `restart()` brings it back. */
  kill(): Promise<void>;
}

/** Starts a Postgres, which the caller stops; it also stops when this process ends without that. */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { port = freePort(), durable = true, log = () => {} } = options;
  const [parent, name] = split(options.dir);
  const user = await postgresUser();
  const home = await makeHome(parent, user, log);
  const binaries = await postgresBinaries(home, log);
  const dir = `${home}/${name}`;
  const cluster = await openCluster({ binaries, dir, user, durable });
  const url = `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;
  try {
    return await serve({ binaries, dir, port, url, user, durable }, cluster.release);
  } catch (error) {
    cluster.release();
    throw error;
  }
}

async function serve(options: RunOptions, release: () => void): Promise<EmbeddedPostgres> {
  let run = await startAgain(options);
  const { url, port, dir } = options;
  return {
    url,
    port,
    dir,
    kill: () => run.stop("kill"),
    async restart(mode = "fast") {
      await run.stop(mode);
      run = await startAgain(options);
    },
    async stop() {
      await run.stop("fast");
      release();
    },
  };
}

/** The clients of a killed Postgres hold its memory for a moment longer, and it then refuses. */
async function startAgain(options: RunOptions): Promise<Run> {
  for (let attempt = 1;; attempt++) {
    try {
      return await runPostgres(options);
    } catch (error) {
      const passing = (error as Error).message.includes("pre-existing shared memory block");
      if (!passing || attempt === 20) throw error;
      await new Promise((wake) => setTimeout(wake, 100));
    }
  }
}

function split(path: string): [string, string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, slash), path.slice(slash + 1)];
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
