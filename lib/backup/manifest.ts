/**
 * What a backup holds, as it is written beside its files: the last thing that is written, and the first that is read.
 * @module
 */
import { z } from "zod";
import { RefusedError } from "../base/errors.ts";

/** The form of manifests and files; another one is refused. */
const FORMAT = 1;
const NAME = /^hookwork-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const FILE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();

const fileSchema = z.object({ file: z.string().regex(FILE), rows: count, bytes: count, sha256 });
const tableSchema = z.object({
  name: z.string().min(1),
  columns: z.array(z.string().min(1)).min(1),
  rows: count,
  files: z.array(fileSchema),
});
const manifestSchema = z.object({
  format: z.literal(FORMAT),
  name: z.string().regex(NAME),
  /** All that was committed before is in it. */
  takenAt: z.iso.datetime().transform((text) => new Date(text)),
  /** Of the program that made it. */
  version: z.string(),
  /** Of the server that it was made from. */
  postgres: z.string(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(tableSchema),
  sequences: z.array(z.object({ name: z.string(), last: z.string().regex(/^-?\d+$/).nullable() })),
  documents: z.array(z.object({ name: z.string().regex(FILE), sha256 })),
  /** What could not be had although a row speaks of it, one sentence each. */
  problems: z.array(z.string()),
});

/** What a backup holds. */
export type Manifest = z.output<typeof manifestSchema>;
/** One file with rows of a table: text of COPY, compressed. */
export type RowsFile = z.output<typeof fileSchema>;
/** A table of a backup. */
export type BackedUpTable = z.output<typeof tableSchema>;
/** What a manifest is made of. */
export type ManifestContent = Omit<Manifest, "format" | "name">;

/** The name of a backup of a moment: to the second, and so that names sort as time does. */
export function backupName(takenAt: Date): string {
  return `hookwork-${takenAt.toISOString().replace(/\.\d+Z$/, "Z").replaceAll(/[-:]/g, "")}`;
}

/** The moment of a name; undefined for what is no name of a backup. */
export function timeOfName(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (year === undefined) return undefined;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** Completes a manifest. */
export function createManifest(content: ManifestContent): Manifest {
  return { format: FORMAT, name: backupName(content.takenAt), ...content };
}

/** The bytes of a manifest, with a hash over itself: nobody else vouches for it. */
export async function writeManifest(manifest: Manifest): Promise<Uint8Array<ArrayBuffer>> {
  const sha256 = await hashOf(JSON.stringify(manifest));
  return new TextEncoder().encode(`${JSON.stringify({ sha256, manifest }, null, 2)}\n`);
}

/** Reads a manifest. Throws RefusedError when it is damaged, or of another form; `where` is named in that. */
export async function readManifest(bytes: Uint8Array, where: string): Promise<Manifest> {
  const refuse = (why: string) => new RefusedError(`Cannot use backup ${where}: ${why}`);
  const text = new TextDecoder().decode(bytes);
  const damaged = "its manifest is damaged; take another one, as `hookwork backups` lists them";
  const outer = z.object({ sha256, manifest: z.looseObject({ format: z.number() }) })
    .safeParse(parsedJson(text));
  if (!outer.success) throw refuse(damaged);
  const { manifest, sha256: promised } = outer.data;
  if (await hashOf(JSON.stringify(manifest)) !== promised) throw refuse(damaged);
  if (manifest.format !== FORMAT) {
    throw refuse(`its form is ${manifest.format}; use the version of Hookwork that made it`);
  }
  const parsed = manifestSchema.safeParse(manifest);
  if (!parsed.success) throw refuse(damaged);
  return parsed.data;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}
