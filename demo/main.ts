/**
 * The whole of Hookwork on one machine, with nothing installed: `demo` stays up, `demo --once` runs the failure drill.
 * @module
 */
// deno-lint-ignore-file no-console -- the terminal is where this speaks
import { describeError } from "../lib/base/errors.ts";
import { type DrillResult, runDrill } from "./drill.ts";
import { stopSignal } from "./stop.ts";
import { startSystem, type System } from "./system.ts";
import { createPrefixer } from "./terminal.ts";
import { introduce, playSamples, shareSettings, watchMessages, watchNotes } from "./tour.ts";

const DRILL_DEADLINE_MS = 110_000;
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
  const { passed, failed } = await runDrillOnce(stop);
  console.log(`drill: ${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function runDrillOnce(stop: AbortSignal): Promise<DrillResult> {
  const stopOrLate = AbortSignal.any([stop, AbortSignal.timeout(DRILL_DEADLINE_MS)]);
  const logOf = (name: string) => name === "postgres" ? console.log : () => {};
  await using system = await startSystem({
    environment: Deno.env.toObject(),
    slowPrinter: true,
    port: 0,
    logOf,
  });
  const result = await runDrill(system, console.log, stopOrLate);
  if (result.failed > 0 && !stop.aborted) console.log(lastLines(system));
  return result;
}

function lastLines({ receiver, workers }: System): string {
  return [receiver, ...workers]
    .map(({ name, lines }) => `--- the last lines of ${name}\n${lines.slice(-20).join("\n")}`)
    .join("\n");
}

async function tour(stop: AbortSignal): Promise<number> {
  const logOf = createPrefixer({ color: Deno.stdout.isTerminal() && !Deno.noColor });
  const port = isFree(PREFERRED_PORT) ? PREFERRED_PORT : 0;
  await using system = await startSystem({
    environment: Deno.env.toObject(),
    slowPrinter: false,
    port,
    logOf,
  });
  if (stop.aborted) return 0;
  await using _shared = await shareSettings(system);
  await playSamples(system);
  console.log(introduce(system));
  await Promise.all([
    watchMessages(system.telegram, logOf("telegram"), stop),
    watchNotes(system.amocrm, logOf("amocrm"), stop),
  ]);
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
