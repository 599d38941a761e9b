/**
 * `hookwork check`: tries all that can be tried before something depends on it.
 * @module
 */
import type { App } from "../../app.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Settings } from "../../setting.ts";
import type { TelegramSetup } from "../../outside/telegram_setup.ts";
import { checkReadiness } from "../../flow/ready.ts";
import { attempt, bad, type Finding, good } from "../check_finding.ts";
import { ExitCode } from "../failure.ts";
import type { Host } from "../host.ts";
import { allSettings } from "../../registry.ts";
import { CONTACT_MS, openBot, withApp } from "../open.ts";
import { checkContracts } from "./check_contract.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

const FINGERPRINT_DIGITS = 8;

/** A secret as it can be shown: compare it with `printf %s "$SECRET" | sha256sum`. */
export interface Fingerprint {
  readonly name: string;
  readonly bytes: number;
  /** The first digits of SHA-256 over the variable's whole text. */
  readonly sha256: string;
}

/** What was tried, and which secrets the process really has. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  readonly secrets: readonly Fingerprint[];
}

/** Checks everything; what cannot be used is found, never thrown. */
export async function check(host: Host): Promise<CheckReport> {
  const secrets = await fingerprints(host.environment, allSettings());
  try {
    return { findings: await withApp(host, (app) => examine(app, openBot(host))), secrets };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map((detail) => bad("configuration", detail));
    return { findings, secrets };
  }
}

async function examine(app: App, bot: TelegramSetup): Promise<Finding[]> {
  const { sources, handlers, schedules } = app.registry;
  const parts =
    `${sources.size} source(s), ${handlers.size} handler(s), ${schedules.length} schedule(s)`;
  const database = await checkDatabase(app);
  const hasDatabase = database.every(({ part, ok }) => ok || part !== "database");
  return [
    good("configuration", parts),
    ...database,
    await attempt(
      "telegram",
      app.redact,
      async () => `the bot is @${(await bot.getMe()).username}`,
    ),
    ...await checkContracts(app, { hasDatabase }),
  ];
}

async function checkDatabase(app: App): Promise<Finding[]> {
  const { problems, warnings } = await checkReadiness(app, CONTACT_MS);
  if (problems.length > 0) return problems.map((detail) => bad("database", detail));
  return [
    good("database", "deliveries can be stored"),
    ...warnings.map((detail) => bad("queue", detail)),
    ...(warnings.length === 0 ? [good("queue", "alerts arrive, and no job waits for long")] : []),
  ];
}

/** The secrets that are set. Shells and unit files may change them: `$`, `%`, quotes, line ends. */
async function fingerprints(environment: Host["environment"], settings: Settings) {
  const set = Object.keys(settings).filter((name) => settings[name]!.secret && environment[name]);
  return await Promise.all(set.map(async (name): Promise<Fingerprint> => {
    const bytes = new TextEncoder().encode(environment[name]);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return { name, bytes: bytes.length, sha256: digest.toHex().slice(0, FINGERPRINT_DIGITS) };
  }));
}

/** A line for each finding, then the fingerprints. */
export function renderCheck({ findings, secrets }: CheckReport, page: Page): string {
  const lines = findings.map(({ ok, part, detail }) =>
    `${ok ? "OK     " : "PROBLEM"}  ${part.padEnd("configuration".length)}  ${detail}`
  );
  const table = renderTable(secrets, [
    { title: "SECRET", cell: ({ name }) => name },
    { title: "BYTES", cell: ({ bytes }) => bytes, right: true },
    { title: "SHA-256", cell: ({ sha256 }) => sha256 },
  ], page.columns);
  return [lines.join("\n"), ...(secrets.length === 0 ? [] : [table])].join("\n\n");
}

/** A configuration that is unfit is told apart: only a change of it helps. */
export function checkExitCode({ findings }: CheckReport): ExitCode {
  const problems = findings.filter(({ ok }) => !ok);
  if (problems.length === 0) return ExitCode.done;
  const unfit = problems.some(({ part }) => part === "configuration");
  return unfit ? ExitCode.configuration : ExitCode.failed;
}
