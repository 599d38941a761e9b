/** What deploy.sh has Docker do, in which order, and what it keeps in .env. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";

const DEPLOY = new URL("../../deploy/", import.meta.url).pathname;
const ENV = `POSTGRES_PASSWORD='s3cret'\nHOOKWORK_VERSION='1.0.0'\nTZ=UTC\n`;
const SWITCH = [
  "up --detach --no-deps app",
  "exec -T app hookwork health --ready",
  "up --detach --no-deps app2",
  "exec -T app2 hookwork health --ready",
  // As many as there are.
  "up --detach --no-deps --scale worker=2 worker",
  "up --detach --no-deps --no-recreate caddy",
];

/** A checkout with deploy.sh, and a docker that notes what it is told; `failing` is what it cannot do. */
async function checkout(failing = "nothing") {
  const root = await Deno.makeTempDir({ prefix: "hookwork-compose-" });
  await Deno.mkdir(`${root}/deploy`);
  for (const { name } of Deno.readDirSync(DEPLOY)) {
    if (name.startsWith("deploy")) await Deno.copyFile(DEPLOY + name, `${root}/deploy/${name}`);
  }
  await Deno.writeTextFile(`${root}/.env`, ENV, { mode: 0o600 });
  await Deno.writeTextFile(`${root}/docker`, docker(`${root}/calls`, failing), { mode: 0o755 });
  return {
    root,
    async deploy(...args: string[]) {
      const { code, stdout, stderr } = await new Deno.Command(`${root}/deploy/deploy.sh`, {
        args,
        env: { PATH: `${root}:${Deno.env.get("PATH")}`, READY_SECONDS: "1" },
      }).output();
      const decoder = new TextDecoder();
      return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
    },
    /** What changes something or waits, since the last look: `<version> <arguments of docker compose>`. */
    async calls() {
      const lines = (await Deno.readTextFile(`${root}/calls`).catch(() => "")).split("\n");
      await Deno.writeTextFile(`${root}/calls`, "");
      return lines.filter((line) => line !== "");
    },
    env: () => Deno.readTextFile(`${root}/.env`),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

function docker(log: string, failing: string): string {
  return `#!/bin/sh
    case "$*" in
      "compose config --services") printf 'postgres\\nmigrate\\napp2\\napp\\nworker\\ncaddy\\n'; exit ;;
      "compose ps --quiet worker") printf '1a\\n2b\\n'; exit ;;
      "image inspect"*) [ "$3" = hookwork:built ]; exit ;;
    esac
    shift
    echo "$HOOKWORK_VERSION $*" >>${log}
    case "$*" in *"${failing}"*) exit 1 ;; esac
  `;
}

const of = (version: string, calls: string[]) => calls.map((call) => `${version} ${call}`);

Deno.test("deploy.sh compose migrates by the new image, replaces one receiver after the other, and keeps the number of workers; --rollback goes back", async () => {
  await using tree = await checkout();
  const { code, output } = await tree.deploy("compose", "built");
  assertEquals(code, 0, output);
  assertEquals(await tree.calls(), of("built", ["run --rm -T migrate", ...SWITCH]));
  const settings = await tree.env();
  for (const line of ["HOOKWORK_VERSION='built'", "HOOKWORK_PREVIOUS_VERSION='1.0.0'"]) {
    assertStringIncludes(settings, `\n${line}\n`);
  }
  assert(settings.startsWith("POSTGRES_PASSWORD='s3cret'\nTZ=UTC\n"), settings);
  assertEquals((await Deno.stat(`${tree.root}/.env`)).mode! & 0o777, 0o600);
  assert(!output.includes("s3cret"));
  // A second time goes no further back.
  for (const _ of [1, 2]) {
    assertEquals((await tree.deploy("--rollback", "compose")).code, 0);
    assertEquals(await tree.calls(), of("1.0.0", SWITCH));
    assertStringIncludes(await tree.env(), "\nHOOKWORK_VERSION='1.0.0'\n");
  }
});

Deno.test("deploy.sh compose builds an image that is not there", async () => {
  await using tree = await checkout();
  assertEquals((await tree.deploy("compose", "2.0.0")).code, 0);
  assertEquals((await tree.calls())[0], "2.0.0 build migrate");
});

Deno.test("deploy.sh compose has switched nothing after a migration that fails", async () => {
  await using tree = await checkout("migrate");
  const { code, output } = await tree.deploy("compose", "built");
  assertEquals(code, 1);
  assertMatch(output, /not migrated/);
  assertEquals(await tree.calls(), ["built run --rm -T migrate"]);
  assertEquals(await tree.env(), ENV);
});

Deno.test("deploy.sh compose leaves the second receiver as it runs when the first does not get ready", async () => {
  await using tree = await checkout("exec -T app hookwork");
  const { code, output } = await tree.deploy("compose", "built");
  assertEquals(code, 1);
  assertMatch(output, /app is not ready/);
  assertEquals((await tree.calls()).filter((call) => call.includes("app2")), []);
  // Nor is such a version the way back of the next one.
  await tree.deploy("compose", "built2");
  assertStringIncludes(await tree.env(), "\nHOOKWORK_PREVIOUS_VERSION='1.0.0'\n");
});

Deno.test("deploy.sh --dry-run compose tells Docker to do nothing, and leaves .env alone", async () => {
  await using tree = await checkout();
  const { code, output } = await tree.deploy("--dry-run", "compose", "2.0.0");
  assertEquals(code, 0, output);
  assertStringIncludes(output, "docker compose up --detach --no-deps app2");
  assertEquals([await tree.calls(), await tree.env()], [[], ENV]);
});
