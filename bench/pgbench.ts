/**
 * Postgres' own load generator: what one row at a time comes to when nothing else costs anything.
 * @module
 */
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("one_row.sql", import.meta.url));
const THREADS = 2;

/** Whether pgbench is on the PATH: no package of ours brings it. */
export async function hasPgbench(): Promise<boolean> {
  try {
    return (await new Deno.Command("pgbench", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Runs the one-row statement so often, shared among the clients; statements a second, without the time to connect. */
export async function pgbench(url: string, clients: number, statements: number): Promise<number> {
  const command = new Deno.Command("pgbench", {
    args: [
      "--no-vacuum",
      "--protocol=prepared",
      `--client=${clients}`,
      `--jobs=${Math.min(THREADS, clients)}`,
      // A count and not a time: connecting takes of the time, and with many clients all of it.
      `--transactions=${Math.ceil(statements / clients)}`,
      `--file=${SCRIPT}`,
      url,
    ],
    stdin: "null",
  });
  const { success, stdout, stderr } = await command.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const rate = /^tps = ([\d.]+)/m.exec(out!);
  if (success && rate) return Number(rate[1]);
  throw new Error(`Cannot measure with pgbench:\n${out}${err}`);
}
