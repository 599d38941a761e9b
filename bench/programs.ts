/**
 * The programs that are measured: each is a process that says on its output what it has come to.
 * @module
 */
import { type Process, start } from "../demo/process.ts";
import { inheritedEnvironment, serviceCommand } from "../demo/service.ts";
import { randomSettings } from "../demo/settings.ts";
import type { Peers } from "./peers.ts";

/** A program under measurement. Disposing of it stops it. */
export interface Program extends AsyncDisposable {
  /** The rest of the first line that begins with these words; rejects when the program ends without it. */
  heard(words: string): Promise<string>;
  readonly process: Process;
}

/** Nobody listens there: a bench alerts no one. */
const NOWHERE = "http://127.0.0.1:9";

/** The settings of Hookwork's programs, the same for all of one run; `environment` is the bench's own. */
export function createLauncher(environment: Record<string, string>) {
  const secrets = randomSettings();
  const inherited = { ...inheritedEnvironment(environment), NO_COLOR: "1" };
  return {
    secrets,
    /** Starts an entry file of this project with the flags of a worker, which are those of a receiver and some more. */
    async hookwork(file: string, url: string, env: Record<string, string> = {}): Promise<Program> {
      const command = await serviceCommand("work", { file, envFile: false });
      const settings = { ...secrets, DATABASE_URL: url, TELEGRAM_API: NOWHERE, PORT: "0" };
      return launch(file, command, { ...inherited, ...settings, LOG_FORMAT: "text", ...env });
    },
    /** Starts a peer's program in `bench/peers/`. */
    peer(peers: Peers, file: string, url: string, ...args: string[]): Program {
      const command = [peers.node, `bench/peers/${file}`, ...args];
      return launch(file, command, { ...inherited, DATABASE_URL: url, PEERS: peers.folder });
    },
  };
}

/** Starts programs. */
export type Launcher = ReturnType<typeof createLauncher>;

/** Runs a program to its end. Throws with its last lines when it fails. */
export async function finish(program: Program): Promise<void> {
  const code = await program.process.exit;
  if (code !== 0) throw endedEarly(program.process, `code ${code}`);
}

function launch(name: string, command: string[], env: Record<string, string>): Program {
  const waiting = new Map<string, (rest: string) => void>();
  const onLine = (line: string) => {
    for (const [words, resolve] of waiting) {
      const at = line.indexOf(words);
      if (at < 0) continue;
      waiting.delete(words);
      resolve(line.slice(at + words.length).trim());
    }
  };
  const process = start({ name, command, env, onLine });
  return {
    process,
    async heard(words) {
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.set(words, resolve);
      process.lines.forEach(onLine);
      const ended = process.exit.then(() => Promise.reject(endedEarly(process, `no "${words}"`)));
      return await Promise.race([promise, ended]);
    },
    [Symbol.asyncDispose]: async () => void await process.stop(),
  };
}

function endedEarly({ name, lines }: Process, why: string): Error {
  return new Error(`${name} ended with ${why}; it said:\n${lines.slice(-10).join("\n")}`);
}
