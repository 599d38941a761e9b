/**
 * What the parts of the fake API share: a call, what it is answered from, and a table of routes.
 * @module
 */
import type { Crm } from "./crm.ts";
import type { Hooks } from "./hooks.ts";
import type { Reply } from "./reply.ts";
import type { Rights } from "./tokens.ts";

/** Lists whose filters can be ignored. */
export type ListName = "leads" | "contacts" | "companies" | "events" | "notes" | "tasks";

/** Habits of a real account that differ from one to the next, or were seen only sometimes. */
export interface ApiSwitches {
  /** Lists that ignore their filters and answer 200 all the same, as without the paid option. */
  readonly ignoredFilters: Set<ListName>;
  /** What a deal that is not there is answered with; 204 in most cases. */
  missing: 204 | 404;
  /** How long after a change the journal shows it. */
  journalDelaySeconds: number;
  /** Whether subscribing anew switches a disabled webhook on again: not documented. */
  subscribingEnables: boolean;
}

/** What the API answers from. */
export interface Backend {
  readonly subdomain: string;
  readonly driveUrl: string;
  readonly crm: Crm;
  readonly hooks: Hooks;
  readonly switches: ApiSwitches;
  /** Seconds since 1970. */
  now(): number;
}

/** A call with a valid token. */
export interface Call {
  readonly url: URL;
  readonly query: URLSearchParams;
  /** The body as JSON; undefined when there is none. */
  readonly body: unknown;
  readonly rights: Rights;
  /** The ids in the path, in their order. */
  readonly ids: readonly number[];
}

/** A method, a path below `/api/v4` in which `:id` stands for digits, and its answer. */
export type Route = readonly [
  method: string,
  path: string,
  answer: (call: Call, backend: Backend) => Reply,
];

/** The ids that a path has where a route has `:id`; undefined when it is not of the route. */
export function matchRoute(route: string, path: string): number[] | undefined {
  const pattern = new RegExp(`^/api/v4${route.replaceAll(":id", "(\\d+)")}$`);
  return pattern.exec(path)?.slice(1).map(Number);
}

/** The elements of a body that is a list; a single object where a list belongs is none. */
export function elementsOf(body: unknown): Record<string, unknown>[] {
  return Array.isArray(body) ? body.filter((one) => typeof one === "object" && one !== null) : [];
}

/** Whether `with=` names this part. */
export function isWith({ query }: Call, name: string): boolean {
  return (query.get("with") ?? "").split(",").map((part) => part.trim()).includes(name);
}
