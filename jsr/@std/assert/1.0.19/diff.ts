/** What has to change in one list of lines to get another. */

/** A line that both have, or that only one of them has. */
export interface DiffResult<T> {
  type: "common" | "added" | "removed";
  value: T;
}

/** Lists the lines of both in order, by the longest run of lines they have in common. */
export function diff<T>(actual: T[], expected: T[]): DiffResult<T>[] {
  const lengths = commonLengths(actual, expected);
  const result: DiffResult<T>[] = [];
  let [i, j] = [0, 0];
  while (i < actual.length || j < expected.length) {
    if (i < actual.length && j < expected.length && actual[i] === expected[j]) {
      result.push({ type: "common", value: actual[i++]! });
      j++;
    } else if (j === expected.length || lengths[i + 1]?.[j]! >= lengths[i]![j + 1]!) {
      result.push({ type: "removed", value: actual[i++]! });
    } else {
      result.push({ type: "added", value: expected[j++]! });
    }
  }
  return result;
}

/** `table[i][j]` is how many lines the ends from i and from j have in common. */
function commonLengths<T>(a: T[], b: T[]): Uint32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i]![j] = a[i] === b[j]
        ? table[i + 1]![j + 1]! + 1
        : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  return table;
}
