/**
 * From single figures to one that says something.
 * @module
 */

/** The value below which this share of the values lies; `share` is from 0 to 1. Throws when there are none. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error("Cannot take a quantile: nothing was measured");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const below = sorted[Math.floor((sorted.length - 1) / 2)];
  const above = sorted[Math.floor(sorted.length / 2)];
  if (below === undefined || above === undefined) return quantile(values, 0.5);
  return (below + above) / 2;
}

/**
 * Lets all candidates take turns, round after round, so that what disturbs the machine disturbs all alike; each
 * candidate's results in the order of the rounds.
 */
export async function takeTurns<T>(
  candidates: readonly { readonly who: string; measure(): Promise<T> }[],
  rounds: number,
): Promise<Map<string, T[]>> {
  const results = new Map<string, T[]>(candidates.map(({ who }) => [who, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { who, measure } of candidates) results.get(who)!.push(await measure());
  }
  return results;
}
