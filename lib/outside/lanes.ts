/**
 * Calls that belong to no job.
 * @module
 */
import type { Lanes } from "../contract.ts";

/** Makes every call at once and pauses nothing: for alerts and for what an operator asks. */
export const noLanes: Lanes = { through: (_, call) => call() };
