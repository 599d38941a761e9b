/**
 * A server from nothing: a bare Debian with systemd, `deploy/install.sh`, the installed binaries under our units.
 *
 * Takes minutes, root, debootstrap, slirp4netns and a mirror of Debian, so it runs only where DEPLOY_TREE names a folder; the
 * bare Debian is kept there for the next run.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  accountSettings,
  createDeal,
  STAGE,
  startSampleAccount,
} from "../../demo/sample_account.ts";
import { startTelegramApi } from "../../demo/telegram_api.ts";
import { parseEnvironmentFile } from "../../lib/base/environment_file.ts";
import { compiledBinaries } from "../support/binaries.ts";
import { until } from "../support/until.ts";
import { type Debian, OUTSIDE, startDebian } from "./support/debian.ts";
import { settingsText } from "./support/standins.ts";

const FOLDER = Deno.env.get("DEPLOY_TREE");
const SETTINGS = "/etc/hookwork/hookwork.env";
/** That Caddy makes for itself where no public one knows the name; a copy, which everybody may read. */
const AUTHORITY = "/usr/local/share/caddy-root.crt";
const BOT_TOKEN = "1000000001:the-bot-of-the-tests";
const SECRET = `a$b%s"c#d\\e`;
const UNITS = [
  "hookwork-receiver@8081",
  "hookwork-receiver@8082",
  "hookwork-worker@1",
  "hookwork-worker@2",
];
/** Lines of a settings' file that arrive as they are read; and what other readers make of them. */
const LINES = String.raw`A='a$b%s"c#d\e'
B="a\$b%s\"c#d\\e\`" 
C = a b $c %s "d" 'e' # f
D="a \n b"
E=
F='  '
G=old
G=new
; G=comment
H=пароль
`;

Deno.test({
  name: FOLDER
    ? "a bare Debian becomes a server by one script, which survives kills, a second run and a boot without Postgres"
    : "a bare Debian becomes a server by one script (ignored: DEPLOY_TREE names no folder)",
  ignore: !FOLDER,
  async fn(test) {
    const step = async (name: string, work: () => Promise<void>) => {
      if (!await test.step(name, work)) throw new Error(`what follows needs: ${name}`);
    };
    const binaries = await compiledBinaries();
    if (binaries.missing !== undefined) throw new Error(binaries.missing);
    await using telegram = await startTelegramApi({ token: BOT_TOKEN });
    await using account = await startSampleAccount();
    // Nothing reaches the tree from outside: what changes is found by asking.
    account.hooks.switches.lost = true;
    await using debian = await startDebian(FOLDER!);
    await copyIn(debian, binaries.folder, {
      ...accountSettings(account),
      AMOCRM_ACCESS_TOKEN: account.token,
      TELEGRAM_API: `http://${OUTSIDE}:${telegram.url.port}`,
      TELEGRAM_BOT_TOKEN: BOT_TOKEN,
      SITE_WEBHOOK_SECRET: SECRET,
    });
    // A token of amoCRM goes to this machine or to amoCRM only.
    await forward(debian, account.url.port);

    await step("install.sh ends well, and all units run", async () => {
      const output = await install(debian);
      assertMatch(output, /OK +database +deliveries can be stored/);
      await unitsRun(debian);
      const authority = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt";
      await debian.must("install", "-m", "0644", authority, AUTHORITY);
      assertEquals(await debian.must("systemctl", "--failed", "--quiet"), "");
    });

    await step("a signed form is taken by each receiver and worked", async () => {
      await posted(debian, "http://127.0.0.1:8081");
      await posted(debian, "http://127.0.0.1:8082");
    });

    await step("a form comes through Caddy by TLS, and both webhooks are registered", async () => {
      await posted(debian, "https://localhost");
      assert(telegram.calls.includes("setWebhook"));
      assertEquals([...account.hooks.subscriptions.keys()].length, 1);
    });

    await step(
      "a worker in its sandbox prints a contract and writes it to its folder",
      async () => {
        const deal = createDeal(account);
        account.crm.changeLead(deal.id, { status_id: STAGE.contract });
        const told = await debian.must("hookwork", "amocrm", "reconcile", "--from", "1h");
        let jobs: Job[] = [];
        const isDone = ({ kind, status }: Job) => kind === "prepare_contract" && status === "done";
        const missing = () => `the contract is done: ${told}\n${Deno.inspect(jobs)}`;
        const look = async () => (jobs = await queued(debian)).some(isDone);
        await until(missing, look, { within: 60 });
        const files = await debian.must(
          "find",
          "/var/lib/hookwork/documents",
          "-name",
          "*.pdf",
          "-user",
          "hookwork",
        );
        assertEquals(files.trim().split("\n").length, 1);
        const foreign = ["/var/lib/hookwork", "/var/backups/hookwork", "!", "-user", "hookwork"];
        assertEquals(await debian.must("find", ...foreign), "");
      },
    );

    await step("a backup by its unit, in its sandbox, is whole", async () => {
      await debian.must("systemctl", "start", "hookwork-backup");
      assertEquals(JSON.parse(await debian.must("hookwork", "--json", "backups")).length, 1);
    });

    await step("systemd reads a settings' file as hookwork does", async () => {
      await Deno.writeTextFile(`${debian.root}/root/lines.env`, LINES);
      const text = await debian.must(
        ...[
          "systemd-run",
          "--quiet",
          "--pipe",
          "--wait",
          "--property=EnvironmentFile=/root/lines.env",
        ],
        ...["env", "-0"],
      );
      const given = Object.fromEntries(text.split("\0").map((line) => line.split(/=(.*)/s)));
      for (const [name, value] of Object.entries(parseEnvironmentFile(LINES, "lines.env"))) {
        assertEquals(given[name], value);
      }
    });

    await step("a worker killed by -9 is back by itself", async () => {
      const pid = await mainPid(debian, "hookwork-worker@1");
      await debian.must("systemctl", "kill", "--signal=SIGKILL", "hookwork-worker@1");
      await until("it is back", async () => {
        const now = await mainPid(debian, "hookwork-worker@1");
        return now !== pid && now !== "0";
      }, { within: 30 });
    });

    await step("a second run changes nothing and restarts nothing", async () => {
      const read = async () => [
        await Deno.readTextFile(debian.root + SETTINGS),
        ...await Promise.all(UNITS.map((unit) => mainPid(debian, unit))),
      ];
      const before = await read();
      await debian.must("tar", "-cf", "hookwork.tar", "dist");
      assertEquals((await install(debian, "hookwork.tar")).match(/^ {2}write .*$/gm), null);
      assertEquals(await read(), before);
    });

    await step("deploy.sh brings another version into use, and the one before back", async () => {
      const inUse = async () => (await debian.must("hookwork", "--version")).trim();
      const first = await inUse();
      await copyAsNext(debian);
      const pids = () => Promise.all(UNITS.map((unit) => mainPid(debian, unit)));
      const ways: [args: string[], version: string][] = [
        [["systemd", "next"], "hookwork 9.9.9 (commit next)"],
        [["--rollback", "systemd"], first],
      ];
      for (const [args, version] of ways) {
        const before = await pids();
        await debian.must("deploy/deploy.sh", ...args);
        assertEquals(await inUse(), version);
        (await pids()).forEach((pid, index) => assert(pid !== "0" && pid !== before[index]));
        await unitsRun(debian);
        await posted(debian, "https://localhost");
      }
    });

    await step("booted without Postgres, all goes on once it is there", async () => {
      await debian.must("systemctl", "disable", "postgresql");
      await debian.reboot();
      await until("migrate was tried three times", async () => {
        const shown = await debian.must("systemctl", "show", "-P", "NRestarts", "hookwork-migrate");
        return Number(shown) >= 2;
      }, { within: 90 });
      await debian.must("systemctl", "start", "postgresql");
      await until(
        "a form is taken",
        async () => (await send(debian, "http://127.0.0.1:8081")).code === 0,
        {
          within: 60,
        },
      );
      await until("migrate is done", async () => {
        return (await debian.run("systemctl", "is-active", "hookwork-migrate")).code === 0;
      }, { within: 60 });
      await unitsRun(debian);
    });
  },
});

async function copyIn({ root }: Debian, binaries: string, settings: Record<string, string>) {
  const deploy = new URL("../../deploy", import.meta.url).pathname;
  for (const folder of [binaries, deploy]) {
    await new Deno.Command("cp", { args: ["-r", folder, `${root}/root/`] }).output();
  }
  await Deno.rename(`${root}/root/${binaries.split("/").at(-1)}`, `${root}/root/dist`);
  await Deno.writeTextFile(`${root}/root/given.env`, settingsText(settings));
}

/** The same programs once more, under the name of another version. */
async function copyAsNext({ root, must }: Debian): Promise<void> {
  await must("cp", "-r", "dist", "next");
  // The command line runs as a user who may not look into root's home.
  await must("install", "-m", "0755", "dist/hookwork", "/usr/local/lib/hookwork-before");
  const cli = `${root}/root/next/hookwork`;
  const text = `#!/bin/sh
    [ "$1" = --version ] && echo "hookwork 9.9.9 (commit next)" && exit
    exec /usr/local/lib/hookwork-before "$@"
  `;
  await Deno.writeTextFile(cli, text, { mode: 0o755 });
}

/** Makes a port of the machine outside one of the machine inside, now and after each boot. */
async function forward({ root, must }: Debian, port: string): Promise<void> {
  const units = `${root}/etc/systemd/system`;
  const socket = `[Socket]\nListenStream=127.0.0.1:${port}\n[Install]\nWantedBy=sockets.target\n`;
  const proxy = `/lib/systemd/systemd-socket-proxyd ${OUTSIDE}:${port}`;
  await Deno.writeTextFile(`${units}/outside.socket`, socket);
  await Deno.writeTextFile(`${units}/outside.service`, `[Service]\nExecStart=${proxy}\n`);
  await must("systemctl", "enable", "--now", "outside.socket");
}

function install({ must }: Debian, from = "dist"): Promise<string> {
  return must(
    ...["deploy/install.sh", "--from", from, "--settings", "given.env", "--postgres"],
    ...["--alert-chat", "-1000000000001", "--caddy", "--domain", "localhost", "--register"],
  );
}

async function unitsRun({ must }: Debian): Promise<void> {
  const states = await must("systemctl", "is-active", ...UNITS, "hookwork-backup.timer");
  assertEquals(states.trim().split("\n"), [...UNITS, "timer"].map(() => "active"));
}

async function mainPid({ must }: Debian, unit: string): Promise<string> {
  return (await must("systemctl", "show", "-P", "MainPID", unit)).trim();
}

function send({ run }: Debian, url: string) {
  return run("env", `DENO_CERT=${AUTHORITY}`, "hookwork", "send", "site", "--url", url);
}

/** What is looked at of a job. */
interface Job {
  kind: string;
  status: string;
  lastError?: string;
}

async function queued({ must }: Debian): Promise<Job[]> {
  return JSON.parse(await must("hookwork", "--json", "jobs"));
}

/** Posts a signed form, and waits until its job is done. */
async function posted(debian: Debian, url: string): Promise<void> {
  const before = (await queued(debian)).filter(isDoneForm).length;
  const { code, output } = await send(debian, url);
  assertEquals(code, 0, output);
  assertStringIncludes(output, "202");
  const isDone = async () => (await queued(debian)).filter(isDoneForm).length > before;
  await until("the form is worked", isDone, { within: 30 });
}

function isDoneForm({ kind, status }: Job): boolean {
  return kind === "site.form" && status === "done";
}
