/**
 * Where the figures come from: without it they say nothing.
 * @module
 */
import { PEER_VERSIONS } from "./peers.ts";

const GIB = 1024 ** 3;

/** The machine, the versions, and the settings of Postgres that matter, in a few lines. */
export function describeMachine(postgres: Record<string, string>, withPeers: boolean): string {
  const { server_version, ...settings } = postgres;
  const gib = Math.round(Deno.systemMemoryInfo().total / GIB);
  const isDurable = settings.fsync === "on" && settings.synchronous_commit === "on";
  return [
    `${Deno.build.os}/${Deno.build.arch}, ${navigator.hardwareConcurrency} cores, ${gib} GiB`,
    `Deno ${Deno.version.deno}${withPeers ? `, ${listed(PEER_VERSIONS)}` : ""}`,
    `Postgres ${server_version}: ${listed(settings)}`,
    ...isDurable
      ? []
      : ["NOT DURABLE: this server loses commits, so its figures count for nothing"],
  ].join("\n");
}

function listed(values: Record<string, string>): string {
  return Object.entries(values).map(([name, value]) => `${name} ${value}`).join(", ");
}
