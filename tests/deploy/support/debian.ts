/** A bare Debian with systemd on this machine: a tree of debootstrap, booted in namespaces of its own. */

import { startProcess, type TestProcess } from "../../support/process.ts";
import { until } from "../../support/until.ts";

/** Packages of a server on which nothing is installed yet. */
const BARE = ["systemd", "systemd-sysv", "dbus", "ca-certificates"];
const RELEASE = "bookworm";
/** Kernel settings and modules are the whole machine's, not the tree's. */
const NOT_OURS = ["systemd-sysctl.service", "systemd-modules-load.service"];
/** Where slirp4netns shows the loopback of the machine outside, and its resolver. */
export const OUTSIDE = "10.0.2.2";
const RESOLVER = "10.0.2.3";

/** What a command came to. */
export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** A Debian that runs; gone, with all that it runs, when the test leaves its scope. */
export interface Debian extends AsyncDisposable {
  /** Its root folder, seen from outside. */
  readonly root: string;
  /** Runs a command in it, as root. */
  run(command: string, ...args: string[]): Promise<Outcome>;
  /** Runs a command, and throws when it fails; gives what it wrote. */
  must(command: string, ...args: string[]): Promise<string>;
  /** Ends it and boots it again. */
  reboot(): Promise<void>;
}

/** Boots a copy of a bare Debian, which is made in `folder` once and kept there. */
export async function startDebian(folder: string): Promise<Debian> {
  await using stack = new AsyncDisposableStack();
  const bare = await bareTree(folder);
  const root = await Deno.makeTempDir({ dir: folder, prefix: "tree-" });
  stack.defer(() => sh("rm", "-rf", "--one-file-system", root).then(() => {}));
  await sh("cp", "-a", `${bare}/.`, root);
  await sh("systemctl", `--root=${root}`, "mask", ...NOT_OURS);
  await Deno.writeTextFile(`${root}/etc/resolv.conf`, `nameserver ${RESOLVER}\n`);

  let machine = await boot(root);
  stack.defer(() => machine[Symbol.asyncDispose]());
  const run = (command: string, ...args: string[]) => inside(machine.pid, command, args);
  const held = stack.move();
  return {
    root,
    run,
    async must(command, ...args) {
      const { code, output } = await run(command, ...args);
      if (code !== 0) {
        throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${output}`);
      }
      return output;
    },
    async reboot() {
      await run("systemctl", "poweroff");
      await machine.over;
      await machine[Symbol.asyncDispose]();
      machine = await boot(root);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function bareTree(folder: string): Promise<string> {
  const bare = `${folder}/${RELEASE}`;
  if (await exists(bare)) return bare;
  await Deno.mkdir(folder, { recursive: true });
  const draft = await Deno.makeTempDir({ dir: folder, prefix: "draft-" });
  await sh("debootstrap", "--variant=minbase", `--include=${BARE}`, RELEASE, draft);
  // A temporary folder is its owner's alone, and this one becomes the root of all users.
  await Deno.chmod(draft, 0o755);
  await Deno.rename(draft, bare);
  return bare;
}

interface Machine extends AsyncDisposable {
  /** Of its systemd, seen from outside. */
  readonly pid: number;
  readonly over: Promise<unknown>;
}

async function boot(root: string): Promise<Machine> {
  await using stack = new AsyncDisposableStack();
  const script = new URL("boot.sh", import.meta.url).pathname;
  const name = `hookwork-${crypto.randomUUID()}`;
  stack.defer(() => removeControlGroups(name));
  const outer = stack.use(
    await startProcess({ name: "boot.sh", command: script, args: [root, name] }),
  );
  const pid = await systemdOf(outer);
  const args = ["--configure", "--mtu=65520", `${pid}`, "tap0"];
  const network = await startProcess({ name: "slirp4netns", command: "slirp4netns", args });
  stack.use(network);
  const isUp = async () =>
    /running|degraded/.test((await inside(pid, "systemctl", ["is-system-running"])).output);
  await until(() => `Debian is up:\n${outer.lines.join("\n")}`, isUp, { within: 60 });
  const held = stack.move();
  return { pid, over: outer.exit, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** They can go once the last process in them has ended. */
function removeControlGroups(name: string): Promise<void> {
  const find = ["/sys/fs/cgroup", "-depth", "-type", "d", "-path", `*/${name}*`];
  return until("the control groups are removed", async () => {
    await output("find", ...find, "-exec", "rmdir", "{}", ";");
    return (await output("find", ...find)).stdout.length === 0;
  });
}

/** The first process of the tree is the only child of the script that boots it. */
async function systemdOf(outer: TestProcess): Promise<number> {
  const args = ["--parent", `${outer.pid}`, "--exact", "systemd"];
  let pid = 0;
  await until(() => `systemd runs:\n${outer.lines.join("\n")}`, async () => {
    const { stdout } = await output("pgrep", ...args);
    return (pid = Number(new TextDecoder().decode(stdout))) > 0;
  });
  return pid;
}

async function inside(pid: number, command: string, args: string[]): Promise<Outcome> {
  const all = ["--target", `${pid}`, "--all", "env", "--chdir=/root", command, ...args];
  const { code, stdout, stderr } = await new Deno.Command("nsenter", {
    args: all,
    clearEnv: true,
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

async function sh(...command: string[]): Promise<void> {
  const [program, ...args] = command;
  const { success, stderr } = await output(program!, ...args);
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
}

function output(command: string, ...args: string[]): Promise<Deno.CommandOutput> {
  return new Deno.Command(command, { args, stdin: "null" }).output();
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
