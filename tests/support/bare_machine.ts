/** Runs programs as on a machine where nothing of this project is: see `bareCommand`. */

/** What stays of the machine. */
export interface BareMachine {
  /** Seen under its own path, although it lies in the checkout. */
  programs: string;
  /** The only folder that can be written to. */
  writable: string;
}

const CHECKOUT = new URL("../../", import.meta.url).pathname;
const TEMP = Deno.env.get("TMPDIR") ?? "/tmp";
/** Whoever is not root becomes so in a namespace of their own, where the kernel allows that. */
const UNSHARE = ["unshare", "--mount", ...Deno.uid() === 0 ? [] : ["--map-root-user"]];

// The checkout goes behind an empty folder. The last step gives the program the process id that was started.
const SCRIPT = `
  set -e
  checkout=$1 temp=$2 programs=$3 writable=$4
  shift 4
  mount --make-rprivate /
  mount --bind "$temp" "$temp"
  mount --bind "$writable" "$writable"
  exec 3<"$programs"
  mount -t tmpfs none "$checkout"
  mkdir -p "$programs"
  mount --no-canonicalize --bind /proc/self/fd/3 "$programs"
  exec 3<&-
  mount -o remount,bind,ro "$programs"
  mount -o remount,bind,ro "$checkout"
  mount -o remount,bind,ro "$temp"
  mount -o remount,bind,ro /
  cd /
  exec env -i "$@"`;

/** Whether the machine lets us do that. */
export const canBeBare = await isAllowed();

/**
 * The command that runs a program from /, with no environment but `env`, without HOME, on a file system that is read-only
 * but for one folder, and without this checkout. Where the kernel does not allow that (`canBeBare` is false), only the
 * folder and the environment are bare.
 */
export function bareCommand(
  machine: BareMachine,
  program: string,
  { env, args = [] }: { env: Record<string, string>; args?: string[] },
): string[] {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const command = [...settings, `${machine.programs}/${program}`, ...args];
  if (!canBeBare) return ["sh", "-c", `cd / && exec env -i "$@"`, "sh", ...command];
  return masked(machine, ...command);
}

async function isAllowed(): Promise<boolean> {
  const [command, ...args] = masked({ programs: `${CHECKOUT}tests`, writable: TEMP }, "true");
  try {
    const output = { stdout: "null", stderr: "null" } as const;
    return (await new Deno.Command(command!, { args, ...output }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function masked({ programs, writable }: BareMachine, ...command: string[]): string[] {
  return [...UNSHARE, "sh", "-c", SCRIPT, "sh", CHECKOUT, TEMP, programs, writable, ...command];
}
