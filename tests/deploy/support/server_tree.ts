/** A server for deploy.sh without a server: a folder of releases, programs that note their calls, and a systemctl that does so. */

/** The units that systemctl knows there. */
export const UNITS = [
  "hookwork-receiver@8081.service",
  "hookwork-receiver@8082.service",
  "hookwork-worker@1.service",
];
/** What of the machine's own programs changes something; so does a restart by systemctl. */
const CHANGING = ["install", "mv", "ln", "rm"];
const SCRIPT = new URL("../../../deploy/deploy.sh", import.meta.url).pathname;

/** How deploy.sh ended. */
export interface Deployed {
  readonly code: number;
  readonly output: string;
}

/** Gone when the test leaves its scope. */
export interface ServerTree extends AsyncDisposable {
  readonly root: string;
  /** Makes a build of this version; `hookwork <command>` ends with the code that is given for it, else with 0. */
  build(version: string, codes?: Record<string, number>): Promise<string>;
  /** Runs deploy.sh; it is killed when it is about to do the nth thing that changes something. A failing unit does not stay up. */
  deploy(
    args: readonly string[],
    options?: { killedAt?: number; failing?: string },
  ): Promise<Deployed>;
  /** How many things the last deploy changed. */
  steps(): Promise<number>;
  /** What was called since the last look: of the programs `<version> <command>`, of systemctl `<version in use> restart <unit>`. */
  calls(): Promise<string[]>;
  /** The release that a link leads to. */
  release(link: "current" | "previous"): Promise<string | undefined>;
}

/** Makes one on which this version is in use, or nothing at all. */
export async function serverTree(version?: string): Promise<ServerTree> {
  const root = await Deno.makeTempDir({ prefix: "hookwork-server-" });
  const [bin, log, count] = [`${root}/bin`, `${root}/calls`, `${root}/count`];
  const write = (path: string, text: string) =>
    Deno.writeTextFile(path, `#!/bin/sh\n${text}`, { mode: 0o755 });
  for (const folder of ["bin", "builds", "releases"]) await Deno.mkdir(`${root}/${folder}`);
  // Nobody has to wait for what is only played.
  await write(`${bin}/sleep`, "");
  await write(`${bin}/systemctl`, systemctl(root, log, count));
  for (const name of CHANGING) {
    await write(`${bin}/${name}`, `${countOrKill(count)}exec /usr/bin/${name} "$@"\n`);
  }
  const build = async (version: string, codes: Record<string, number> = {}) => {
    const folder = `${root}/builds/${version}`;
    await Deno.mkdir(folder);
    const ends = Object.entries(codes).map(([command, code]) => `${command}) exit ${code} ;;\n`);
    const program = `[ "$1" = --version ] && echo "hookwork ${version} (commit 1a2b)" && exit\n` +
      `echo "${version} $1" >>${log}\ncase $1 in\n${ends.join("")}esac\n`;
    for (const name of ["hookwork", "hookwork-receiver", "hookwork-worker"]) {
      await write(`${folder}/${name}`, program);
    }
    return folder;
  };
  if (version !== undefined) {
    await Deno.rename(await build(version), `${root}/releases/${version}-1a2b`);
    const args = ["-s", `releases/${version}-1a2b`, `${root}/current`];
    await new Deno.Command("ln", { args }).output();
  }
  return {
    root,
    build,
    async deploy(args, { killedAt = 0, failing = "" } = {}) {
      await Deno.writeTextFile(count, "0\n");
      const { code, stdout, stderr } = await new Deno.Command(SCRIPT, {
        args: [...args],
        env: {
          PATH: `${bin}:${Deno.env.get("PATH")}`,
          HOOKWORK_ROOT: root,
          READY_SECONDS: "1",
          KILLED_AT: `${killedAt}`,
          FAILING: failing,
        },
      }).output();
      const decoder = new TextDecoder();
      return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
    },
    steps: async () => Number(await Deno.readTextFile(count)),
    async calls() {
      const lines = (await Deno.readTextFile(log).catch(() => "")).split("\n").filter(Boolean);
      await Deno.writeTextFile(log, "");
      return lines;
    },
    release: (link) =>
      Deno.readLink(`${root}/${link}`).then((path) => path.split("/").at(-1), () => undefined),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

function systemctl(root: string, log: string, count: string): string {
  return `
    case $1 in
      list-units) printf '%s loaded active running Hookwork\\n' ${UNITS.join(" ")} ;;
      is-active) [ "$3" != "$FAILING" ] ;;
      restart)
        ${countOrKill(count)}
        version=$(readlink ${root}/current)
        echo "\${version#releases/} restart $2" >>${log}
        ;;
      *) echo "unknown: $*" >&2; exit 1 ;;
    esac
  `;
}

/** What it is about to do is not done, and deploy.sh does not go on. */
function countOrKill(count: string): string {
  return `
    read -r number <${count}
    number=$((number + 1))
    echo $number >${count}
    [ $number = "$KILLED_AT" ] && kill -KILL $PPID && exit 1
  `;
}
