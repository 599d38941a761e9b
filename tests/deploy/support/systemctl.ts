/** A systemctl for scripts where systemd does not run: it hands what it is told to the supervisor of the tests. */

import { boot, type Machine, type Supervised } from "./supervisor.ts";

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** Started units, and the program by which a script rules them; all gone when the test leaves its scope. */
export interface Systemctl extends AsyncDisposable {
  /** The folder with the program, for a PATH. */
  readonly bin: string;
  /** The last line of a unit's present process that matches; what the pattern captures. */
  lastLine(unit: string, pattern: RegExp): string | undefined;
  /** The exit codes of all stops so far. */
  readonly codes: readonly number[];
}

/** Starts these units of ours on the machine. */
export async function startSystemctl(
  machine: Machine,
  names: readonly string[],
): Promise<Systemctl> {
  await using stack = new AsyncDisposableStack();
  const units = new Map<string, Supervised>();
  const up = new Set<Supervised>();
  const codes: number[] = [];
  stack.defer(async () => void await Promise.all([...units.values()].map((unit) => unit.stop())));
  const start = async (names: readonly string[]) => {
    for (const unit of await boot(machine, names)) {
      units.set(unit.unit.name, unit);
      up.add(unit);
      unit.over.then(() => up.delete(unit));
    }
  };
  await start(names);
  const unitOf = (name: string) => {
    const unit = units.get(name);
    if (!unit) throw new Error(`Unit ${name} is not known here`);
    return unit;
  };
  const restart = async (name: string) => {
    codes.push(await unitOf(name).stop());
    await start([name]);
  };
  const obey = async ([verb, ...args]: string[]): Promise<string> => {
    const [name] = args.filter((arg) => !arg.startsWith("-"));
    if (verb === "list-units") {
      return names.map((name) => `${name} loaded active running\n`).join("");
    }
    if (verb === "restart") await restart(name!);
    else if (verb !== "is-active") throw new Error(`systemctl ${verb} is not known to the tests`);
    else if (!up.has(unitOf(name!))) throw new Error(`Unit ${name} is not active`);
    return "";
  };
  const bin = await Deno.makeTempDir({ prefix: "hookwork-bin-" });
  stack.defer(() => Deno.remove(bin, { recursive: true }));
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const over = serve(listener, obey);
  stack.defer(async () => {
    listener.close();
    await over;
  });
  await Deno.writeTextFile(`${bin}/systemctl`, script(listener.addr.port), { mode: 0o755 });
  const held = stack.move();
  return {
    bin,
    codes,
    lastLine: (name, pattern) =>
      unitOf(name).lines().map((line) => pattern.exec(line)?.[1]).findLast((found) =>
        found !== undefined
      ),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Sends its arguments as one line; the first line of the answer is its exit code. */
function script(port: number): string {
  return `#!/usr/bin/env bash
    exec 3<>/dev/tcp/127.0.0.1/${port}
    printf '%s\\n' "$*" >&3
    read -r code <&3
    cat <&3
    exit "$code"
  `;
}

async function serve(
  listener: Deno.TcpListener,
  obey: (words: string[]) => Promise<string>,
): Promise<void> {
  for await (const connection of listener) {
    using asked = connection;
    const buffer = new Uint8Array(1024);
    const line = DECODER.decode(buffer.subarray(0, await asked.read(buffer) ?? 0));
    const answer = await obey(line.trim().split(" ")).then(
      (output) => `0\n${output}`,
      (error) => `1\n${error.message}\n`,
    );
    await asked.write(ENCODER.encode(answer));
  }
}
