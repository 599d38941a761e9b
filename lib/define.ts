/**
 * How a source, a client and a handler are written down, so that TypeScript infers what each is given.
 * @module
 */
import type { ClientDefinition, ClientDefinitions, Handler, SourceDefinition } from "./contract.ts";
import type { Settings } from "./setting.ts";

/** Lets TypeScript infer a source's settings. */
export function defineSource<const S extends Settings>(
  source: SourceDefinition<S>,
): SourceDefinition<S> {
  return source;
}

/** Lets TypeScript infer a client's settings. */
export function defineClient<C, const S extends Settings>(
  client: ClientDefinition<C, S>,
): ClientDefinition<C, S> {
  return client;
}

/** Lets TypeScript infer what a handler is given; `settings` and `clients` may be left out. */
export function defineHandler<
  P,
  const D extends ClientDefinitions = Record<never, never>,
  const S extends Settings = Record<never, never>,
>(
  handler:
    & Omit<Handler<P, D, S>, "clients" | "settings">
    & { readonly clients?: D; readonly settings?: S },
): Handler<P, D, S> {
  return { clients: {} as D, settings: {} as S, ...handler };
}
