/** The units of systemd, by systemd's own checks. */

import { assert, assertEquals } from "@std/assert";
import { installed, nameWith } from "../support/installed.ts";

const UNITS = new URL("../../deploy/systemd/", import.meta.url).pathname;
const SERVICES = [
  "hookwork-receiver@8081.service",
  "hookwork-worker@1.service",
  "hookwork-migrate.service",
  "hookwork-backup.service",
];
/** Units of systemd itself that ours refer to; a tree of files has none. */
const TARGETS = ["sysinit", "basic", "shutdown", "network-online", "multi-user", "timers"];
const PROGRAMS = [
  "usr/bin/env",
  "opt/hookwork/current/hookwork",
  "opt/hookwork/current/hookwork-receiver",
  "opt/hookwork/current/hookwork-worker",
];
const MAX_EXPOSURE = 2.0;

const analyze = installed("/usr/bin/systemd-analyze", "/bin/systemd-analyze");

/** A root folder as it is on a server, with our units and with programs that are only there. */
async function serverTree(): Promise<AsyncDisposable & { root: string }> {
  const root = await Deno.makeTempDir();
  const write = async (path: string, text: string, mode = 0o644) => {
    await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${root}/${path}`, text, { mode });
  };
  for (const [path, text] of await unitFiles()) await write(`etc/systemd/system/${path}`, text);
  for (const name of TARGETS) {
    await write(`lib/systemd/system/${name}.target`, "[Unit]\nDefaultDependencies=no\n");
  }
  for (const path of PROGRAMS) await write(path, "#!/bin/sh\n", 0o755);
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

async function unitFiles(): Promise<[path: string, text: string][]> {
  const paths = Deno.readDirSync(UNITS).flatMap(({ name, isDirectory }) =>
    isDirectory ? Deno.readDirSync(UNITS + name).map((file) => `${name}/${file.name}`) : [name]
  );
  return await Promise.all(
    paths.map(async (path): Promise<[string, string]> => [
      path,
      await Deno.readTextFile(UNITS + path),
    ]),
  );
}

async function run(args: string[]): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await new Deno.Command(analyze!, { args }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

Deno.test({
  name: nameWith(
    { "systemd-analyze": analyze },
    "systemd finds nothing to complain about in any unit, so no misspelt directive is passed over",
  ),
  ignore: !analyze,
  async fn() {
    await using tree = await serverTree();
    const verified = await run([
      "verify",
      `--root=${tree.root}`,
      ...SERVICES,
      "hookwork-backup.timer",
    ]);
    // Of an unknown directive it only speaks: its exit code stays 0.
    assertEquals(verified, { code: 0, output: "" });
  },
});

Deno.test({
  name: nameWith(
    { "systemd-analyze": analyze },
    "each service is locked in: an exposure of 2.0 at most, of 10",
  ),
  ignore: !analyze,
  async fn() {
    await using tree = await serverTree();
    const args = ["security", "--offline=yes", `--root=${tree.root}`, "--no-pager"];
    for (const service of SERVICES) {
      const { code, output } = await run([...args, service]);
      const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
      assert(code === 0 && exposure <= MAX_EXPOSURE, `${service}: ${exposure}\n${output}`);
    }
  },
});
