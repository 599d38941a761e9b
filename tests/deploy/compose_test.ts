/** compose.yml: Compose takes it, it names nothing that is not there, and its services have no more power than they need. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "yaml";
import { PROGRAMS } from "../../deploy/programs.ts";
import { allSettings } from "../../lib/registry.ts";
import { GRACE_MS as RECEIVER_GRACE_MS } from "../../lib/web/server.ts";
import { GRACE_MS as WORKER_GRACE_MS } from "../../lib/worker/worker.ts";
import { cli } from "../cli/support.ts";
import { installed, nameWith } from "../support/installed.ts";

/** What these tests look at of a service. */
interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly networks: readonly string[];
  readonly [key: string]: unknown;
}

/** Both write down what is left, and close their connections. */
const AFTERWARDS_MS = 4000;
const ROOT = new URL("../../", import.meta.url);
const text = await Deno.readTextFile(new URL("compose.yml", ROOT));
const { services, networks }: {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } }>;
} = parse(text, { merge: true });
const ours = Object.entries(services).filter(([, { image }]) => image.startsWith("hookwork:"));

const python = installed("/usr/bin/docker-compose");
const plugin = installed(
  "/usr/libexec/docker/cli-plugins/docker-compose",
  "/usr/lib/docker/cli-plugins/docker-compose",
);

for (const [name, program] of Object.entries({ "docker-compose": python, "Compose 2": plugin })) {
  Deno.test({
    name: nameWith(
      { [name]: program },
      `compose.yml is understood by ${name}, and secrets in .env arrive as they are`,
    ),
    ignore: program === undefined,
  }, async () => {
    await using folder = await projectFolder(
      "POSTGRES_PASSWORD=0a1b\nHOOKWORK_DOMAIN=hooks.example.com\nSITE_WEBHOOK_SECRET='a$b%s\"c#d'\n",
    );
    assertEquals(await config(program!, folder.path, ["-q"]), { code: 0, output: "" });
    const { output } = await config(program!, folder.path, []);
    const { environment } = parse(output).services.worker;
    // Written so that reading it again gives the dollar back.
    assertEquals(environment.SITE_WEBHOOK_SECRET, 'a$$b%s"c#d');
    assertEquals(environment.DATABASE_URL, "postgres://hookwork:0a1b@postgres/hookwork");
  });

  Deno.test({
    name: nameWith({ [name]: program }, `${name} does not start a database with an empty password`),
    ignore: program === undefined,
  }, async () => {
    await using folder = await projectFolder("HOOKWORK_DOMAIN=hooks.example.com\n");
    const { code, output } = await config(program!, folder.path, ["-q"]);
    assert(code !== 0);
    assertStringIncludes(output, "POSTGRES_PASSWORD");
  });
}

Deno.test("compose.yml sets no variable that the program would not read, and asks for none that nobody knows of", () => {
  const settings = Object.keys(allSettings());
  const set = ours.flatMap(([, { environment }]) => Object.keys(environment));
  assertEquals(set.filter((name) => !settings.includes(name)), []);
  const head = text.slice(0, text.indexOf("\nx-"));
  const explained = [...head.matchAll(/^# {3}([A-Z_]+) /gm)].map(([, name]) => name!);
  const asked = [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
  assertEquals(asked.filter((name) => ![...settings, ...explained].includes(name)), []);
  assertEquals(explained.filter((name) => !asked.includes(name)), []);
});

Deno.test("compose.yml starts programs that are in the image, and commands that they have", async () => {
  const { output: help } = await cli({}, ["--help"]);
  for (const [name, { command }] of ours) {
    const [program, subcommand] = command!;
    assert(PROGRAMS.some(({ name }) => name === program), `${name} starts ${program}`);
    if (subcommand) assertStringIncludes(help, `\n  ${subcommand} `, `of ${name}`);
  }
});

Deno.test("What compose.yml mounts from the project is there: Docker would make an empty folder of it", async () => {
  const mounted = [...text.matchAll(/- \.\/([^:]+):/g)].map(([, path]) => path!);
  for (const path of mounted) assert((await Deno.stat(new URL(path, ROOT))).isFile, path);
});

Deno.test("Every container has limits, a root that is not written to, and no power over the machine", () => {
  for (const [name, service] of Object.entries(services)) {
    assertEquals(service.read_only, true, name);
    assertEquals(service.cap_drop, ["ALL"], name);
    assertEquals(service.security_opt, ["no-new-privileges:true"], name);
    assertEquals(service.privileged, undefined, name);
    for (const limit of ["mem_limit", "cpus", "pids_limit", "logging"]) {
      assert(service[limit] !== undefined, `${name} has no ${limit}`);
    }
  }
});

Deno.test("Only Caddy can be reached from outside, and the database from what needs it only", () => {
  const having = (has: (service: Service) => unknown) =>
    Object.keys(services).filter((name) => has(services[name]!));
  assertEquals(having(({ ports }) => ports), ["caddy"]);
  assertEquals(networks.inside?.internal, true);
  assertEquals(services.postgres!.networks, ["inside"]);
  assertEquals(services.caddy!.networks, ["front"]);
  assertEquals(having(({ networks }) => networks.includes("front")), ["app", "app2", "caddy"]);
});

Deno.test("Caddy finds every receiver, and they believe it and nobody else who the sender is", () => {
  const receivers = ours.filter(([, { command }]) => command![0] === "hookwork-receiver");
  const addresses = receivers.map(([name, { environment }]) => `${name}:${environment.PORT}`);
  assertEquals(services.caddy!.environment.HOOKWORK_RECEIVERS, addresses.join(" "));
  const [subnet] = networks.front!.ipam!.config;
  for (const [, { environment }] of receivers) {
    assertEquals(environment.TRUSTED_PROXIES, subnet!.subnet);
  }
});

Deno.test("All containers are in one time zone, which is set in one place", () => {
  const zones = Object.values(services).map(({ environment }) => environment.TZ);
  assertEquals(new Set(zones), new Set(["${TZ:-UTC}"]));
});

Deno.test("No container is killed while it still waits for requests or jobs", () => {
  const patienceMs = (name: string) => parseInt(`${services[name]!.stop_grace_period}`) * 1000;
  assert(patienceMs("worker") > WORKER_GRACE_MS + AFTERWARDS_MS);
  for (const name of ["app", "app2"]) {
    const drainMs = Number(services[name]!.environment.DRAIN_SECONDS) * 1000;
    assert(patienceMs(name) > drainMs + RECEIVER_GRACE_MS + AFTERWARDS_MS);
  }
});

/** A folder with compose.yml, and with the settings of .env.example and a few more. */
async function projectFolder(settings: string): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir();
  const example = await Deno.readTextFile(new URL(".env.example", ROOT));
  await Deno.writeTextFile(`${path}/compose.yml`, text);
  await Deno.writeTextFile(`${path}/.env`, `${example}\n${settings}`);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Both kinds of Compose, without an engine to ask. */
async function config(program: string, cwd: string, args: readonly string[]) {
  const command = new Deno.Command(program, {
    args: program === plugin ? ["compose", "config", ...args] : ["config", ...args],
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: cwd },
    stdin: "null",
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}
