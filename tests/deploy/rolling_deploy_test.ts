/** deploy.sh for real: deliveries come through Caddy while receivers and workers are replaced, and back again. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { randomSettings } from "../../demo/settings.ts";
import { serviceCommand } from "../../demo/service.ts";
import { PROGRAMS } from "../../deploy/programs.ts";
import { compiledBinaries } from "../support/binaries.ts";
import { testDatabase } from "../support/database.ts";
import { nameWith } from "../support/installed.ts";
import { freePort } from "../support/process.ts";
import { until } from "../support/until.ts";
import { PROXIES } from "./support/proxies.ts";
import { settingsText } from "./support/standins.ts";
import { startSystemctl } from "./support/systemctl.ts";
import { startTraffic } from "./support/traffic.ts";

const SCRIPT = new URL("../../deploy/deploy.sh", import.meta.url).pathname;
/** Longer than Caddy takes to turn away from a receiver. */
const DRAIN_SECONDS = "2";

const { program: caddy, start: startCaddy } = PROXIES.caddy;
const binaries = await compiledBinaries();
const programs = binaries.missing === undefined ? "the binaries" : "programs from source";

Deno.test({
  name: nameWith(
    { caddy },
    `a deploy and a way back of ${programs} refuse none of 50 deliveries a second, and each is stored and worked once (F139)`,
  ),
  ignore: caddy === undefined,
  async fn() {
    await using database = await testDatabase();
    const { sql } = database;
    await using server = await startServer(database.url);
    const { deploy, inUse, traffic } = server;
    await until("deliveries are taken", () => (traffic.answers[202] ?? 0) > 50);

    await deploy("systemd", await server.build("2.0.0"));
    assertEquals(await inUse(), ["2.0.0", "2.0.0", "2.0.0"]);
    // What a newer version has done to the schema stays there when the older one comes back.
    await sql`alter table events add column of_version_2 int not null default 0`;
    await sql`insert into migrations (name, checksum) values ('9999_of_version_2.sql', 'x')`;
    const output = await deploy("--rollback", "systemd");
    assertStringIncludes(output, "keeps the schema of the newer version");
    assertEquals(await inUse(), ["1.0.0", "1.0.0", "1.0.0"]);

    const sent = await traffic.stop();
    assertEquals(traffic.answers, { 202: sent });
    assert(sent > 500, `${sent} sent`);
    const [events] = await sql`select count(*)::int as count from events`;
    assertEquals(events!.count, sent);
    const count = async () => {
      const rows = await sql`select status, count(*)::int as count from jobs group by status`;
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    };
    await until("all are worked", async () => (await count()).done === sent, { within: 30 });
    assertEquals(await count(), { done: sent });
    assertEquals(server.codes, [0, 0, 0, 0, 0, 0]);
  },
});

/** Version 1.0.0 under supervision, with a proxy and with traffic. */
async function startServer(databaseUrl: string) {
  await using stack = new AsyncDisposableStack();
  const root = await Deno.makeTempDir({ prefix: "hookwork-rolling-" });
  stack.defer(() => Deno.remove(root, { recursive: true }));
  const settings = { ...randomSettings(), DATABASE_URL: databaseUrl, DRAIN_SECONDS };
  await Deno.writeTextFile(`${root}/hookwork.env`, settingsText(settings));
  await Deno.mkdir(`${root}/releases`);
  const first = await makeBuild(root, "1.0.0");
  await Deno.rename(first, `${root}/releases/1.0.0-built`);
  await run("ln", ["-s", "releases/1.0.0-built", `${root}/current`], {});

  const ports: [number, number] = [freePort(), freePort()];
  const units = [
    ...ports.map((port) => `hookwork-receiver@${port}.service`),
    "hookwork-worker@1.service",
  ];
  const machine = { programs: `${root}/current`, settings: `${root}/hookwork.env` };
  const systemctl = stack.use(await startSystemctl(machine, units));
  const proxy = stack.use(await startCaddy(ports));
  await until(
    "both receivers listen",
    async () => (await Promise.all(ports.map(isHealthy))).every(Boolean),
    { within: 30 },
  );
  const traffic = startTraffic(proxy, {
    secret: settings.TELEGRAM_WEBHOOK_SECRET,
    perSecond: 50,
    connections: 10,
  });
  stack.defer(() => traffic.stop().then(() => {}));
  const held = stack.move();
  return {
    traffic,
    codes: systemctl.codes,
    build: (version: string) => makeBuild(root, version),
    deploy: (...args: string[]) =>
      run(SCRIPT, args, {
        PATH: `${systemctl.bin}:${Deno.env.get("PATH")}`,
        HOOKWORK_ROOT: root,
        HOOKWORK_ENV_FILE: machine.settings,
      }),
    /** The version that each unit was last started with. */
    inUse: () => Promise.all(units.map((unit) => systemctl.lastLine(unit, /^release (.*)$/))),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Programs that say of themselves that they are of this version. */
async function makeBuild(root: string, version: string): Promise<string> {
  const folder = `${root}/build-${version}`;
  await Deno.mkdir(folder);
  for (const { name, task } of PROGRAMS) {
    const command = binaries.missing === undefined
      ? [`${binaries.folder}/${name}`]
      : await serviceCommand(task, { envFile: false });
    const script = `#!/bin/sh
      [ "$1" = --version ] && echo "hookwork ${version} (commit built)" && exit
      echo "release ${version}"
      exec ${command.map((word) => `'${word}'`).join(" ")} "$@"
    `;
    await Deno.writeTextFile(`${folder}/${name}`, script, { mode: 0o755 });
  }
  return folder;
}

async function isHealthy(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

async function run(command: string, args: string[], env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, env }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assertEquals(code, 0, output);
  return output;
}
