/** The scripts of deploy/, without a server: server_test.ts runs the installation itself. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { installed, nameWith } from "../support/installed.ts";

const DEPLOY = new URL("../../deploy/", import.meta.url).pathname;
const needed = {
  shellcheck: installed("/usr/bin/shellcheck", "/usr/local/bin/shellcheck"),
  "apt-get": installed("/usr/bin/apt-get"),
};

async function run(command: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, cwd: DEPLOY }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** A folder of three programs that know their version. */
async function programs(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await Deno.makeTempDir();
  const text = "#!/bin/sh\necho 'hookwork 1.2.3 (commit 1a2b3c-dirty)'\n";
  for (const name of ["hookwork", "hookwork-receiver", "hookwork-worker"]) {
    await Deno.writeTextFile(`${folder}/${name}`, text, { mode: 0o755 });
  }
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test({
  name: nameWith(
    { shellcheck: needed.shellcheck },
    "shellcheck finds nothing in the scripts of deploy/ and in those of the tests",
  ),
  ignore: !needed.shellcheck,
  async fn() {
    const scripts = [DEPLOY, new URL("support/", import.meta.url).pathname].flatMap((folder) =>
      [...Deno.readDirSync(folder)].map(({ name }) => folder + name)
    ).filter((path) => path.endsWith(".sh"));
    const args = ["--external-sources", "--source-path", `${DEPLOY}..`];
    assertEquals(await run("shellcheck", ...args, ...scripts), { code: 0, output: "" });
  },
});

function testInstall(name: string, work: () => Promise<void>): void {
  const ignore = !needed["apt-get"];
  Deno.test({ name: nameWith({ "apt-get": needed["apt-get"] }, name), ignore, fn: work });
}

testInstall("install.sh --dry-run says each step, tells no secret and writes nothing", async () => {
  await using build = await programs();
  const given = `${build.folder}/given.env`;
  const installation = () => installed("/etc/hookwork/hookwork.env", "/opt/hookwork/current");
  const before = installation();
  await Deno.writeTextFile(given, "TELEGRAM_BOT_TOKEN=s3cret\n");
  const { code, output } = await run(
    ...["bash", "install.sh", "--dry-run", "--from", build.folder, "--settings", given] as const,
    ...["--postgres", "--caddy", "--domain", "hooks.example.com", "--register"],
  );
  assertEquals(code, 0, output);
  const steps = [
    /^A dry run/,
    /^ {2}install .*hookwork-worker \/opt\/hookwork\/releases\/1\.2\.3-1a2b3c-dirty\//m,
    /^Database: role and database hookwork$/m,
    /^ {2}write \/etc\/hookwork\/hookwork\.env$/m,
    /^ {2}\/usr\/local\/bin\/hookwork migrate$/m,
    /^ {2}write \/etc\/systemd\/system\/hookwork-\.service\.d\/common\.conf$/m,
    /^ {2}write \/etc\/caddy\/Caddyfile$/m,
    /telegram set-webhook https:\/\/hooks\.example\.com\/hooks\/telegram$/m,
  ];
  for (const step of steps) assertMatch(output, step);
  assert(!output.includes("s3cret"), output);
  assertEquals(installation(), before);
});

for (
  const [args, why] of [
    [["--dry-run"], "say by --from where the binaries are"],
    [["--dry-run", "--from"], "--from needs a value"],
    [["--dry-run", "--from", DEPLOY], "there is no program hookwork in"],
    [["--dry-run", "--from", "x", "--caddy"], "--caddy and --register need --domain"],
    [["--dry-run", "--from", "x", "--domain", "a b"], "is not the name of a server"],
    [["--dry-run", "--from", "x", "--settings", "/nowhere"], "/nowhere cannot be read"],
    [["--bot-token", "1:a"], "--bot-token is not known"],
  ] as const
) {
  testInstall(
    `install.sh ${args.join(" ").replace(DEPLOY, "deploy/")} is refused before anything is done`,
    async () => {
      const { code, output } = await run("bash", "install.sh", ...args);
      assertEquals(code, 1);
      assertStringIncludes(output, why);
      assertMatch(output, /^Cannot install: [^\n]*\n$/);
    },
  );
}
