/**
 * The configuration of a process: read once, whole, and never changed.
 * @module
 */
import type { Setting, Settings, SettingValues } from "../setting.ts";
import { ConfigError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import {
  choice,
  expectations,
  flag,
  integer,
  list,
  networks,
  text,
  timeZone,
  url,
} from "./settings.ts";

/** Up to a hundred years, which is for ever. */
const DAYS = { min: 1, max: 36_500 };

/** The settings that every process has. */
export const coreSettings = {
  DATABASE_URL: url("The Postgres database that holds everything.", {
    protocols: ["postgres", "postgresql"],
    example: "postgres://hookwork:password@127.0.0.1:5432/hookwork",
    secret: true,
  }),
  DB_POOLER: flag("Whether a transaction-pooling PgBouncer stands before the database."),
  PORT: integer("The port the receiver listens on; 0 takes any free one.", {
    default: 8080,
    min: 0,
    max: 65_535,
  }),
  HOST: text("The address the receiver listens on; 0.0.0.0 inside a container.", {
    default: "127.0.0.1",
  }),
  TRUSTED_PROXIES: networks(
    "The proxies that are believed who sent a request: addresses or networks, a,b for several.",
  ),
  DRAIN_SECONDS: integer(
    "How long a receiver that is told to stop still takes deliveries, so that its proxy turns away.",
    { default: 0, min: 0, max: 60 },
  ),
  TZ: timeZone("The time zone of schedules that name none.", { default: "UTC" }),
  WORKER_CONCURRENCY: integer(
    "How many jobs one worker runs at once; 500 where all are very short.",
    {
      default: 10,
      min: 1,
      max: 1000,
    },
  ),
  LEASE_SECONDS: integer("How long a claim of a job holds without renewal.", {
    default: 60,
    min: 1,
    max: 3600,
  }),
  WORKER_KINDS: list("The only kinds of jobs that a worker takes; all when it is not set."),
  STALL_SECONDS: integer(
    "How long the event loop may stand still before the process ends itself; 0 switches that off.",
    { default: 30, min: 0, max: 3600 },
  ),
  OLDEST_DUE_ALERT_MINUTES: integer("How long a due job may wait before a human is told.", {
    default: 10,
    min: 1,
    max: 10_080,
  }),
  EXPECT_EVENTS: expectations(
    "Sources that are never silent for so many hours: amocrm:12,site:48.",
  ),
  BACKUP_ALERT_HOURS: integer(
    "How long no backup may succeed, once backups are made, before a human is told; 0 for ever.",
    { default: 48, min: 0, max: 8760 },
  ),
  RETAIN_DONE_DAYS: integer("How many days a job is kept after it was done or superseded.", {
    default: 30,
    ...DAYS,
  }),
  RETAIN_FAILED_DAYS: integer("How many days a job is kept after it failed.", {
    default: 90,
    ...DAYS,
  }),
  RETAIN_BODY_DAYS: integer("How many days the body of an event is kept.", {
    default: 90,
    ...DAYS,
  }),
  RETAIN_KEY_DAYS: integer("How many days a repeat is known as such; no less than the others.", {
    default: 400,
    ...DAYS,
  }),
  SHADOW_KINDS: list("The kinds that only write down what they would create; a,b for several."),
  LOG_FORMAT: choice("How log lines are written: for machines or for people.", {
    of: ["json", "text"],
    default: "json",
  }),
  LOG_LEVEL: choice("The least important lines that are logged.", {
    of: ["debug", "info", "warn", "error"],
    default: "info",
  }),
} satisfies Settings;

/** The values of all settings by the name of their environment variable. */
export type Config = SettingValues<typeof coreSettings> & Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string>>;

/**
 * Reads the core settings and those of the other parts, and freezes them.
 *
 * Throws one ConfigError with every problem, each with the variable's name and never its value.
 */
export function loadConfig(environment: Environment, settings: Settings = {}): Config {
  const { values, problems } = readSettings(environment, mergeSettings(coreSettings, settings));
  problems.push(...retentionProblems(values));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as Config;
}

/** Reads some settings only, for what needs no more. Throws one ConfigError with every problem. */
export function loadSettings<const S extends Settings>(
  environment: Environment,
  settings: S,
): SettingValues<S> {
  const { values, problems } = readSettings(environment, settings);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as SettingValues<S>;
}

function readSettings(environment: Environment, settings: Settings) {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const parsed = setting.schema.safeParse(environment[name]);
    if (parsed.success) values[name] = deepFreeze(parsed.data);
    else {
      for (const { path, message } of parsed.error.issues) {
        const isOneOfMany = path.length > 0 && environment[name]?.includes(",");
        const which = isOneOfMany ? `${name}: value ${Number(path[0]) + 1}` : name;
        problems.push(`${which} ${message}${hint(name, environment, settings)}. ${setting.about}`);
      }
    }
  }
  return { values, problems };
}

/** A key that went before its work would let a late repeat do that work again. Values that are unfit by themselves are told already. */
function retentionProblems(values: Readonly<Record<string, unknown>>): string[] {
  const keyDays = Number(values.RETAIN_KEY_DAYS);
  return ["RETAIN_DONE_DAYS", "RETAIN_FAILED_DAYS", "RETAIN_BODY_DAYS"]
    .filter((name) => Number(values[name]) > keyDays)
    .map((name) =>
      `RETAIN_KEY_DAYS is below ${name}: a key must outlive what it stands for; raise the one or lower the other`
    );
}

/** Names a variable that is set, unknown, and looks like a misspelling of one that is not set. */
function hint(name: string, environment: Environment, known: Settings): string {
  if (environment[name] !== undefined) return "";
  const unknown = Object.keys(environment).filter((candidate) => !(candidate in known));
  const meant = nearest(name, unknown);
  return meant === undefined ? "" : ` (${meant} is set: is it misspelt?)`;
}

/** The values that one part declared. Throws when its settings were not loaded. */
export function settingsOf<const S extends Settings>(
  config: Readonly<Record<string, unknown>>,
  settings: S,
): SettingValues<S> {
  const names = Object.keys(settings);
  const missing = names.find((name) => !(name in config));
  if (missing !== undefined) {
    throw new Error(`Cannot read setting ${missing}: it was not loaded; merge the part's settings`);
  }
  return Object.freeze(
    Object.fromEntries(names.map((name) => [name, config[name]])),
  ) as SettingValues<S>;
}

/** All settings in one record. Throws a ConfigError when two parts define one name differently. */
export function mergeSettings(...parts: readonly Settings[]): Settings {
  const merged = new Map<string, Setting<unknown>>();
  const problems: string[] = [];
  for (const [name, setting] of parts.flatMap(Object.entries) as [string, Setting<unknown>][]) {
    const earlier = merged.get(name) ?? setting;
    if (earlier !== setting) {
      problems.push(`${name} is defined twice; let both parts share one definition`);
    }
    merged.set(name, earlier);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(merged);
}

/**
 * What must never be shown of an environment: the secret variables, each value of a list, and the
 * password of a URL.
 */
export function secretValues(environment: Environment, settings: Settings): string[] {
  return Object.entries(settings)
    .filter(([_, setting]) => setting.secret)
    .flatMap(([name]) => secretParts(environment[name] ?? ""))
    .filter((value) => value !== "");
}

function secretParts(text: string): string[] {
  const password = URL.parse(text)?.password ?? "";
  return [text, ...text.split(","), password, decoded(password)];
}

/** A password in a URL may hold a bare percent sign, which cannot be decoded: it stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function deepFreeze(value: unknown): unknown {
  // Bytes cannot be frozen.
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
