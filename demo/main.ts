/**
 * The whole of Hookwork on one machine, with nothing installed: `demo` stays up, `demo --once` runs the failure drill.
 * @module
 */
// deno-lint-ignore-file no-console -- the terminal is where this speaks
import { describeError } from "../lib/base/errors.ts";
import { runDrill } from "./drill.ts";
import { stopSignal } from "./stop.ts";
import { startSystem, type System } from "./system.ts";
import { createPrefixer } from "./terminal.ts";
import { introduce, playSamples, watchMessages } from "./tour.ts";

const DRILL_DEADLINE_MS = 85_000;
const USAGE = 2;
const PREFERRED_PORT = 8080;

if (import.meta.main) {
  try {
    Deno.exit(await main(Deno.args));
  } catch (error) {
    console.error(describeError(error));
    Deno.exit(1);
  }
}

async function main(args: readonly string[]): Promise<number> {
  const [flag, ...more] = args;
  if (more.length > 0 || ![undefined, "--once"].includes(flag)) {
    console.error("Cannot start the demo: it takes no arguments but --once");
    return USAGE;
  }
  const stop = stopSignal();
  return flag === "--once" ? await drill(stop) : await tour(stop);
}

async function drill(stop: AbortSignal): Promise<number> {
  const stopOrLate = AbortSignal.any([stop, AbortSignal.timeout(DRILL_DEADLINE_MS)]);
  const result = await (async () => {
    await using system = await startSystem({ environment: Deno.env.toObject(), port: 0 });
    const result = await runDrill(system, console.log, stopOrLate);
    if (result.failed > 0) console.log(lastLines(system));
    return result;
  })();
  console.log(`drill: ${result.passed} passed, ${result.failed} failed`);
  return result.failed === 0 ? 0 : 1;
}

function lastLines({ receiver, workers }: System): string {
  return [receiver, ...workers]
    .map(({ name, lines }) => `--- the last lines of ${name}\n${lines.slice(-20).join("\n")}`)
    .join("\n");
}

async function tour(stop: AbortSignal): Promise<number> {
  const prefixed = createPrefixer({ color: Deno.stdout.isTerminal() && !Deno.noColor });
  const show = (name: string, line: string) => console.log(prefixed(name, line));
  await using system = await startSystem({
    environment: Deno.env.toObject(),
    port: isFree(PREFERRED_PORT) ? PREFERRED_PORT : 0,
    onLine: show,
  });
  if (stop.aborted) return 0;
  await playSamples(system);
  console.log(introduce(system));
  await watchMessages(system, (line) => show("telegram", line), stop);
  return 0;
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}
