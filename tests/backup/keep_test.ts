import { assertEquals } from "@std/assert";
import { expired, leftovers } from "../../lib/backup/keep.ts";
import { backupName } from "../../lib/backup/manifest.ts";

const daily = (from: string, count: number) =>
  Array.from(
    { length: count },
    (_, day) => backupName(new Date(Date.parse(`${from}T03:15:00Z`) + day * 86_400_000)),
  );

Deno.test("What is older than it is to be kept goes, measured from the one just made", () => {
  const names = daily("2026-12-01", 20);
  assertEquals(expired(names.toReversed(), 14, names.at(-1)!), names.slice(0, 5));
  assertEquals(expired(names, 19, names.at(-1)!), []);
});

Deno.test("The last three are never removed, however old they are", () => {
  const [made] = daily("2036-01-01", 1);
  const old = daily("2026-01-01", 3);
  assertEquals(expired([made!], 1, made!), []);
  assertEquals(expired([...old, made!], 14, made!), old.slice(0, 1));
});

Deno.test("Backups of a clock that ran ahead for days do not have the right one removed that was just made", () => {
  const [wrong, right] = [daily("2036-01-01", 5), daily("2026-12-01", 20)];
  assertEquals(expired([...right, ...wrong], 14, right.at(-1)!), right.slice(0, 5));
  assertEquals(expired([...wrong, right[0]!], 14, right[0]!), []);
});

Deno.test("Where all are to be kept none goes", () => {
  assertEquals(expired(daily("2020-01-01", 2000), 0, backupName(new Date())), []);
});

Deno.test("What is half is left alone while it may still be written, and goes after that", () => {
  const now = new Date("2026-12-02T03:15:00Z");
  const names = ["hookwork-20261201T031500Z", "hookwork-20261201T151501Z"];
  assertEquals(leftovers(names, now), names.slice(0, 1));
});
