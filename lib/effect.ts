/**
 * What a handler says of one thing that it creates in the outside world.
 * @module
 */

/** Something that is created once for a key, however often its job runs and wherever a run is cut off. */
export interface Effect {
  /**
   * Makes the one call that creates it, and gives the world's own name for it, at most 1,000 UTF-16 units.
   * Must end soon after its signal is aborted. A PermanentError or a TemporaryError says that nothing was created; of any
   * other error nobody knows.
   */
  run(call: EffectCall): Promise<string>;
  /**
   * Looks in the outside world for what an earlier call may have created; undefined when it is not there. It only reads,
   * and must see what was created the moment before: a list or a filter, not a search whose index lags.
   */
  find?(call: Pick<EffectCall, "signal">): Promise<string | undefined>;
  /**
   * Without `find`: what follows when nobody knows whether an earlier call took effect. "fail", the default, lets a person
   * decide; "repeat" makes the call once more, marked as a repeat, and only then lets a person decide.
   */
  readonly onUnknown?: "fail" | "repeat";
  /** What is created, for people: shown by `hookwork effects`, and all there is of it in shadow. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** How long a call may take, the world's own work included; 10 when absent. */
  readonly deadlineSeconds?: number;
}

/** One call of an effect. */
export interface EffectCall {
  /** Aborted at the call's deadline, and whenever the run is stopped. */
  readonly signal: AbortSignal;
  /** Whether an earlier call may have taken effect, so that this one is to be marked as a repeat. */
  readonly repeat: boolean;
}

/** `intended`: noted, and not known to be there. `planned`: would have been created if the kind were not in shadow. */
export type EffectState = "intended" | "done" | "planned";
