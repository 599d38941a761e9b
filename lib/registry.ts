/**
 * The list of all sources, handlers and schedules: a new one is a file of its own and a line here.
 * @module
 */
import { backupSettings } from "./base/backup_settings.ts";
import { type Config, coreSettings, mergeSettings, settingsOf } from "./base/config.ts";
import { environmentExample, type SettingsGroup } from "./base/environment_example.ts";
import { ConfigError } from "./base/errors.ts";
import { nameHint } from "./base/nearest.ts";
import { checkTiming } from "./base/slot.ts";
import type {
  AnyHandler,
  ClientDefinitions,
  Registry,
  Schedule,
  SourceDefinition,
} from "./contract.ts";
import type { Settings } from "./setting.ts";
import { amocrmReconcile } from "./handlers/amocrm_reconcile.ts";
import { amocrmToken } from "./handlers/amocrm_token.ts";
import { amocrmWebhooks } from "./handlers/amocrm_webhooks.ts";
import { heartbeat } from "./handlers/heartbeat.ts";
import { prepareContract } from "./handlers/prepare_contract.ts";
import { siteForm } from "./handlers/site_form.ts";
import { telegramMessage } from "./handlers/telegram_message.ts";
import { amocrm } from "./sources/amocrm.ts";
import { site } from "./sources/site.ts";
import { telegram } from "./sources/telegram.ts";

/** What a process is made of, before it has its settings. */
export interface Definitions {
  // deno-lint-ignore no-explicit-any -- sources of different settings
  readonly sources: readonly SourceDefinition<any>[];
  readonly handlers: readonly AnyHandler[];
  readonly schedules: readonly Schedule[];
}

/** Who sends webhooks, which work is done, and what falls due by itself. */
export const definitions: Definitions = {
  sources: [site, telegram, amocrm],
  handlers: [
    siteForm,
    telegramMessage,
    prepareContract,
    heartbeat,
    amocrmToken,
    amocrmReconcile,
    amocrmWebhooks,
  ],
  schedules: [
    { name: "heartbeat", kind: "heartbeat", everyMinutes: 60 },
    { name: "amocrm.token", kind: "amocrm.token", everyMinutes: 720 },
    { name: "amocrm.reconcile", kind: "amocrm.reconcile", everyMinutes: 15 },
    { name: "amocrm.webhooks", kind: "amocrm.webhooks", dailyAt: "07:00" },
  ],
};

/** The definitions without those of automations that are not set up; schedules go with their kinds. */
export function definitionsInUse(
  environment: Readonly<Record<string, string>>,
  given: Definitions = definitions,
): Definitions {
  const isUsed = ({ onlyWith }: { onlyWith?: string }) =>
    onlyWith === undefined || isSet(environment[onlyWith]);
  const unused = given.handlers.filter((handler) => !isUsed(handler)).map(({ kind }) => kind);
  return {
    sources: given.sources.filter(isUsed),
    handlers: given.handlers.filter(isUsed),
    schedules: given.schedules.filter(({ kind }) => !unused.includes(kind)),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== "";
}

/** What is set although the setting that switches its part on is not: who set it does not expect silence. */
export function halfSetUp(
  environment: Readonly<Record<string, string>>,
  given: Definitions = definitions,
): string[] {
  const used = allSettings(definitionsInUse(environment, given));
  const left = registrySettings(given).flatMap(({ settings, onlyWith }) =>
    Object.keys(settings).filter((name) => !(name in used) && isSet(environment[name]))
      .map((name) =>
        `${name} is set, but not ${onlyWith}, without which it is not used. Set both, or none.`
      )
  );
  return [...new Set(left)];
}

/** The settings that the definitions need beside those of the core, by who needs them. */
export function registrySettings({ sources, handlers }: Definitions): SettingsGroup[] {
  const services = new Map(
    handlers.flatMap(({ clients }) => Object.entries(clients as ClientDefinitions))
      .map(([name, client]) => [client, name]),
  );
  const switchOf = (client: unknown) => {
    const users = handlers.filter(({ clients }) => Object.values(clients).includes(client));
    return users.every(({ onlyWith }) => onlyWith) ? users[0]?.onlyWith : undefined;
  };
  const groups: SettingsGroup[] = [
    ...sources.map(({ name, settings, onlyWith }) => (
      { title: `Source ${name}`, settings, onlyWith }
    )),
    ...[...services].map(([client, name]) => (
      { title: `Service ${name}`, settings: client.settings, onlyWith: switchOf(client) }
    )),
    ...handlers.map(({ kind, settings, onlyWith }) => (
      { title: `Handler ${kind}`, settings, onlyWith }
    )),
  ];
  return groups.filter(({ settings }) => Object.keys(settings).length > 0);
}

/** The settings of the core, of backups and of all definitions, whether in use or not. */
export function allSettings(given: Definitions = definitions): Settings {
  const ofDefinitions = registrySettings(given).map(({ settings }) => settings);
  return mergeSettings(coreSettings, backupSettings, ...ofDefinitions);
}

/** The text of `.env.example` for all settings there are; those of parts that are switched on are commented out. */
export function exampleEnvironment(): string {
  return environmentExample([
    { title: "Core", settings: coreSettings },
    { title: "Backup", settings: backupSettings },
    ...registrySettings(definitions),
  ]);
}

/** Gives the sources their settings. Throws a ConfigError with all that `checkRegistry` finds, and for kinds and sources in settings that there are not. */
export function openRegistry(config: Config, given: Definitions = definitions): Registry {
  const problems = [
    ...checkRegistry(given),
    ...kindProblems(config, given),
    ...expectationProblems(config, given),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    sources: new Map(given.sources.map((source) => [
      source.name,
      source.create(settingsOf(config, source.settings)),
    ])),
    handlers: new Map(given.handlers.map((handler) => [handler.kind, handler])),
    schedules: given.schedules,
  };
}

/**
 * Refused, not skipped: a worker that takes nothing looks like one that has nothing to do, and a kind that was to run in
 * shadow would do its work for real.
 */
function kindProblems(config: Config, { handlers }: Definitions): string[] {
  const known = handlers.map(({ kind }) => kind);
  const settings = ["WORKER_KINDS", "SHADOW_KINDS"] as const;
  return settings.flatMap((setting) =>
    config[setting].flatMap((kind, index) => {
      if (known.includes(kind)) return [];
      const hint = nameHint(kind, known, "kinds");
      return [`${setting}: value ${index + 1} is a kind that no handler has; ${hint}`];
    })
  );
}

/** A misspelt one would never be told of. */
function expectationProblems({ EXPECT_EVENTS }: Config, { sources }: Definitions): string[] {
  const known = sources.map(({ name }) => name);
  return EXPECT_EVENTS.flatMap(({ source }, index) =>
    known.includes(source) ? [] : [
      `EXPECT_EVENTS: value ${index + 1} names a source that is not there; ${
        nameHint(source, known, "sources")
      }`,
    ]
  );
}

const NAME_FORM = /^[a-z][a-z0-9_.-]{0,62}$/;
const DAY_SECONDS = 86_400;

/** What is wrong with definitions, one sentence each. */
export function checkRegistry({ sources, handlers, schedules }: Definitions): string[] {
  const kinds = handlers.map(({ kind }) => kind);
  return [
    ...nameProblems("source", sources.map(({ name }) => name)),
    ...nameProblems("handler", kinds),
    ...nameProblems("schedule", schedules.map(({ name }) => name)),
    ...handlers.flatMap(handlerProblems),
    ...schedules.flatMap((schedule) => scheduleProblems(schedule, kinds)),
  ];
}

function nameProblems(what: string, names: readonly string[]): string[] {
  const malformed = names.filter((name) => !NAME_FORM.test(name))
    .map((name) => `${what} "${name}": its name must fit ${NAME_FORM}`);
  const doubled = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...malformed, ...[...doubled].map((name) => `${what} "${name}" is defined twice`)];
}

function handlerProblems({ kind, timeoutSeconds = 1, leaseSeconds = 1 }: AnyHandler): string[] {
  return Object.entries({ timeoutSeconds, leaseSeconds })
    .filter(([_, seconds]) => !(seconds >= 1 && seconds <= DAY_SECONDS))
    .map(([name, seconds]) =>
      `handler "${kind}": ${name} must be from 1 to ${DAY_SECONDS}: it is ${seconds}`
    );
}

function scheduleProblems(schedule: Schedule, kinds: readonly string[]): string[] {
  const { name, kind } = schedule;
  const timing = checkTiming(schedule);
  return [
    ...(kinds.includes(kind) ? [] : [`schedule "${name}": no handler is of kind "${kind}"`]),
    ...(timing === undefined ? [] : [`schedule "${name}": ${timing}`]),
  ];
}
