/**
 * How a program's task becomes a call of `deno compile`.
 * @module
 */
import type { TaskCommand } from "./programs.ts";

/** The thread that prints contracts is named by a URL, which `deno compile` does not follow; folders are no modules. */
const EMBEDDED = ["lib/contracts/pdf_thread.ts", "migrations", "templates"];
/** Written before each compilation, and read by lib/version.ts out of the binary. */
export const COMMIT_FILE = "dist/commit";

/** What differs between two binaries. */
export interface BinaryOptions extends TaskCommand {
  readonly output: string;
  /** The machine it is for, such as `aarch64-unknown-linux-gnu`; this one when absent. */
  readonly target?: string;
  /** What the Deno that compiles needs besides. */
  readonly denoFlags: readonly string[];
}

/** The arguments of `deno` that make a binary of a program. */
export function compileArguments(options: BinaryOptions): string[] {
  const { flags, entry, output, target, denoFlags } = options;
  return [
    "compile",
    "--quiet",
    // Types are what `deno check` is for, and an older Deno does not know all of them.
    "--no-check",
    "--frozen",
    // It would be written to the shared folder for temporary files, under a name that every user of the machine can take.
    "--no-code-cache",
    ...denoFlags,
    ...flags.filter((flag) => !flag.startsWith("--env-file")).flatMap(widened),
    ...[...EMBEDDED, COMMIT_FILE].flatMap((path) => ["--include", path]),
    ...target ? ["--target", target] : [],
    "--output",
    output,
    entry,
  ];
}

/**
 * What a binary may read and write. What is inside it needs no permission. A path that is left is the folder of documents,
 * and where that is only the operator's settings say, so there the permission has no path: a binary takes no flags when it
 * starts, relative paths would be those of the folder in which it is started, and nothing can narrow a permission to a
 * path while it runs. The unit, or the container, says what may be written then.
 */
function widened(flag: string): string[] {
  const [name, paths] = flag.split("=");
  if (paths === undefined || !/^--allow-(read|write)$/.test(name!)) return [flag];
  const isInside = (path: string) =>
    EMBEDDED.some((embedded) => embedded === path || embedded.startsWith(`${path}/`));
  return paths.split(",").every(isInside) ? [] : [name!];
}
