import { assertEquals, assertRejects } from "@std/assert";
import {
  backupName,
  createManifest,
  readManifest,
  timeOfName,
  writeManifest,
} from "../../lib/backup/manifest.ts";
import { RefusedError } from "../../lib/base/errors.ts";

const manifest = createManifest({
  takenAt: new Date("2026-12-01T03:15:07.123Z"),
  version: "0.1.0 (commit 1a2b3c4d5e6f)",
  postgres: "15.18",
  migrations: [{ name: "0001_events.sql", checksum: "c" }],
  tables: [{ name: "events", columns: ["id"], rows: 0, files: [] }],
  sequences: [{ name: "events_id_seq", last: "9007199254740993" }],
  documents: [{ name: "contract-1.pdf", sha256: "a".repeat(64) }],
  problems: ["Document x is not there"],
});
const text = new TextDecoder().decode(await writeManifest(manifest));
const read = (changed: string) => readManifest(new TextEncoder().encode(changed), "/b/x");

Deno.test("A manifest is read as it was written, and its name is its time", async () => {
  assertEquals(await read(text), manifest);
  assertEquals(manifest.name, "hookwork-20261201T031507Z");
  assertEquals(timeOfName(manifest.name), new Date("2026-12-01T03:15:07Z"));
});

Deno.test("Names sort as time does, and what is no name has no time", () => {
  const times = ["2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", "2026-02-03T04:05:06Z"];
  const names = times.map((time) => backupName(new Date(time)));
  assertEquals(names.toSorted().map(timeOfName), times.toSorted().map((time) => new Date(time)));
  for (const name of ["", "documents", "hookwork-2026", "hookwork-20261201T031507Z.tmp"]) {
    assertEquals(timeOfName(name), undefined, name);
  }
});

Deno.test("A manifest of which anything was changed or is missing is refused, and the place is named", async () => {
  const changes = [
    text.replace("9007199254740993", "9007199254740994"),
    text.replace('"rows": 0', '"rows": 1'),
    text.slice(0, -20),
    "",
    "{}",
    "[1]",
  ];
  for (const changed of changes) {
    await assertRejects(() => read(changed), RefusedError, "/b/x: its manifest is damaged");
  }
});

Deno.test("A manifest of a form to come is told apart from a damaged one", async () => {
  const later = new TextDecoder().decode(
    await writeManifest({ ...manifest, format: 2 } as unknown as typeof manifest),
  );
  await assertRejects(() => read(later), RefusedError, "its form is 2");
});

Deno.test("A file name that leads out of the backup is no name, even where the hash is right", async () => {
  const documents = [{ name: "../../etc/passwd", sha256: "a".repeat(64) }];
  const evil = new TextDecoder().decode(await writeManifest({ ...manifest, documents }));
  await assertRejects(() => read(evil), RefusedError, "damaged");
});
