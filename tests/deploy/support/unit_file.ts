/**
 * Reads our unit files, as far as a supervisor without systemd can follow them.
 *
 * Whatever it would read otherwise than systemd does is refused, so a unit that becomes more than this can follow fails a test
 * instead of being tried as something else.
 */

/** What a supervisor follows of a service. Times are in seconds. */
export interface Unit {
  readonly name: string;
  /** The other units that it waits for. */
  readonly after: readonly string[];
  readonly type: "exec" | "oneshot";
  readonly execStart: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly environmentFiles: readonly string[];
  readonly restart: "no" | "always" | "on-failure";
  readonly restartSeconds: number;
  readonly restartPreventExitStatus: readonly number[];
  readonly stopSeconds: number;
  readonly killSignal: Deno.Signal;
}

type Directives = ReadonlyMap<string, readonly string[]>;

const UNITS = new URL("../../../deploy/systemd/", import.meta.url);
/** Known, and without a meaning for who starts what and when. */
const NOT_FOLLOWED = new Set([
  ...["Unit.Description", "Unit.Wants", "Install.WantedBy"],
  ...["User", "Group", "UMask", "WorkingDirectory", "StateDirectory", "StateDirectoryMode"],
  ...["ReadWritePaths", "ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices"],
  ...["ProtectProc", "ProcSubset", "NoNewPrivileges", "CapabilityBoundingSet", "PrivateUsers"],
  ...["ProtectClock", "ProtectControlGroups", "ProtectHostname", "ProtectKernelLogs"],
  ...["ProtectKernelModules", "ProtectKernelTunables", "LockPersonality", "RemoveIPC"],
  ...["RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID", "RestrictAddressFamilies"],
  ...["SystemCallArchitectures", "SystemCallFilter", "SystemCallErrorNumber"],
  ...["Nice", "CPUWeight", "IOSchedulingClass", "MemoryMax", "TasksMax", "LimitNOFILE"],
  ...["OOMScoreAdjust", "TimeoutStartSec", "RemainAfterExit", "SyslogIdentifier"],
].map((name) => name.includes(".") ? name : `Service.${name}`));

/** Reads a unit with what all units share: `await readUnit("hookwork-worker@1.service")`. */
export async function readUnit(name: string): Promise<Unit> {
  const [, template, instance] = /^([^@]+@?)([^@]*)\.service$/.exec(name) ?? [];
  if (template === undefined) throw new Error(`Cannot read unit ${name}: it is not a service`);
  const paths = [`${template}.service`, "hookwork-.service.d/common.conf"];
  const texts = await Promise.all(paths.map((path) => Deno.readTextFile(new URL(path, UNITS))));
  return unitOf(name, instance!, texts);
}

/** The unit that these files are together; a later one adds to the former. Throws on what it cannot follow. */
export function unitOf(name: string, instance: string, texts: readonly string[]): Unit {
  const directives = parse(texts);
  const left = new Set([...directives.keys()].filter((key) => !NOT_FOLLOWED.has(key)));
  const all = (key: string) => {
    left.delete(key);
    return (directives.get(key) ?? []).map((value) => plain(key, value, instance));
  };
  const one = (key: string, absent?: string) => {
    const [value = absent, ...more] = all(key);
    if (value === undefined || more.length > 0) refuse(key, "is to be there once");
    return value;
  };
  if (one("Unit.StartLimitIntervalSec", "10") !== "0" && directives.has("Service.Restart")) {
    refuse("Unit.StartLimitIntervalSec", "is not 0, and no limit of starts is followed");
  }
  const unit: Unit = {
    name,
    after: all("Unit.After").flatMap(words),
    type: oneOf("Service.Type", one("Service.Type"), ["exec", "oneshot"]),
    execStart: words(one("Service.ExecStart")),
    environment: Object.fromEntries(all("Service.Environment").flatMap(words).map(assignment)),
    environmentFiles: all("Service.EnvironmentFile"),
    restart: oneOf("Service.Restart", one("Service.Restart", "no"), ["no", "always", "on-failure"]),
    restartSeconds: seconds("Service.RestartSec", one("Service.RestartSec", "0")),
    restartPreventExitStatus: words(one("Service.RestartPreventExitStatus", "")).map(Number),
    stopSeconds: seconds("Service.TimeoutStopSec", one("Service.TimeoutStopSec", "90")),
    killSignal: oneOf("Service.KillSignal", one("Service.KillSignal", "SIGTERM"), ["SIGTERM"]),
  };
  for (const key of left) refuse(key, "is not known to the supervisor of the tests");
  return unit;
}

function parse(texts: readonly string[]): Directives {
  const directives = new Map<string, string[]>();
  let section = "";
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const [, header] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (header !== undefined) section = header;
    else if (name !== undefined) {
      const key = `${section}.${name}`;
      directives.set(key, [...directives.get(key) ?? [], value!]);
    } else if (!/^([#;].*)?$/.test(line)) refuse(line, "is neither a comment nor a directive");
  }
  return directives;
}

/** A value of plain words; `%i` is the instance. Quotes, `$`, other specifiers and prefixes have rules of their own. */
function plain(key: string, value: string, instance: string): string {
  const text = value.replaceAll("%i", instance);
  if (value === "" || /["'\\$%]|^[-@:+!]/.test(text)) refuse(key, `has the value ${value}`);
  return text;
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

function assignment(word: string): [string, string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}

function seconds(key: string, value: string): number {
  if (!/^\d+$/.test(value)) refuse(key, `is not a number of seconds: ${value}`);
  return Number(value);
}

function oneOf<const T extends string>(key: string, value: string, known: readonly T[]): T {
  return known.find((name) => name === value) ?? refuse(key, `is ${value}`);
}

function refuse(what: string, why: string): never {
  throw new Error(`Cannot follow a unit: ${what} ${why}`);
}
