/**
 * Finds what somebody probably meant.
 * @module
 */

/** The candidate closest to a word, when at most `maxEdits` letters differ. */
export function nearest(
  word: string,
  candidates: readonly string[],
  maxEdits = 2,
): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editDistance(word, candidate) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
}

/** The remedy for a name that there is not: the one that was probably meant, or all that there are of `what`. */
export function nameHint(word: string, names: readonly string[], what: string): string {
  const meant = nearest(word, names);
  return meant === undefined ? `the ${what} are ${names.join(", ")}` : `did you mean ${meant}?`;
}

/** Levenshtein's distance, one row of the table at a time. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[to.length]!;
}
