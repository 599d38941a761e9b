/**
 * What a person says of an effect of which nobody else knows whether it happened.
 * @module
 */
import type { App } from "../app.ts";
import { RefusedError } from "../base/errors.ts";
import { storedKey } from "../base/text.ts";
import { confirmEffect, denyEffect } from "../db/effects.ts";
import { type EffectView, getEffectView } from "../db/effects_view.ts";

/** One effect. Throws RefusedError when there is none with this key. */
export async function findEffect(app: Pick<App, "db">, key: string): Promise<EffectView> {
  const effect = await getEffectView(app.db, storedKey(key));
  if (effect) return effect;
  throw new RefusedError(
    `Cannot find effect ${key}: nothing is noted under this key; \`hookwork effects\` lists them`,
  );
}

/** It is there, under this reference: later attempts take it. Throws RefusedError when that is no question. */
export async function tellHappened(
  app: Pick<App, "db">,
  key: string,
  ref: string,
): Promise<void> {
  if (await confirmEffect(app.db, storedKey(key), ref)) return;
  throw refusal(await findEffect(app, key));
}

/** It is not there: the next attempt creates it. Throws RefusedError when that is no question, or not yet one. */
export async function tellDidNotHappen(app: Pick<App, "db">, key: string): Promise<void> {
  if (await denyEffect(app.db, storedKey(key))) return;
  throw refusal(await findEffect(app, key));
}

function refusal({ key, state, ref }: EffectView): RefusedError {
  const why = {
    done: `it is done, as ${ref}`,
    planned: "it was only planned, in shadow",
    intended: "its call may still be under way; look again when that must have ended",
  };
  return new RefusedError(`Cannot decide about effect ${key}: ${why[state]}`);
}
