/**
 * The rows of a table as files: compressed text of COPY, in parts that each fit into memory and end where a row does.
 * @module
 */
import type { Session } from "../db/session.ts";
import { copyOut, type TableShape } from "../db/dump.ts";
import { sha256 } from "../contracts/storage.ts";
import type { BackedUpTable, RowsFile } from "./manifest.ts";
import type { Watcher } from "./progress.ts";

/** Of text; one row more may be in a part, so the largest has this and the largest row. */
export const PART_BYTES = 4 * 2 ** 20;
const LINE_FEED = 10;

/** Where the files of a table go. */
export type WriteFile = (file: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

/** Writes the rows of a table; `index` keeps the names of files apart, whatever the tables are called. */
export async function writeTable(
  session: Session,
  { table, index, partBytes = PART_BYTES }: {
    table: TableShape;
    index: number;
    partBytes?: number;
  },
  write: WriteFile,
  { progress, signal }: Watcher,
): Promise<BackedUpTable> {
  const files: RowsFile[] = [];
  let rows = 0;
  const flush = async (pieces: readonly Uint8Array[]) => {
    const text = await bytesOf(new Blob(pieces as Uint8Array<ArrayBuffer>[]).stream());
    const bytes = await compressed(text);
    const file = fileName(index, table.name, files.length);
    await write(file, bytes);
    const count = countRows(text);
    files.push({ file, rows: count, bytes: bytes.length, sha256: await sha256(bytes) });
    rows += count;
    progress(`${table.name}: ${rows} row(s)`);
  };
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of copyOut(session, table)) {
    signal.throwIfAborted();
    pieces.push(piece);
    size += piece.length;
    if (size < partBytes) continue;
    await flush(pieces);
    [pieces, size] = [[], 0];
  }
  if (size > 0) await flush(pieces);
  return { name: table.name, columns: [...table.columns], rows, files };
}

/** The text of a file of rows. Throws TypeError when it is not what was compressed. */
export async function textOfRows(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return await bytesOf(new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip")));
}

async function compressed(text: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")));
}

async function bytesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** In text of COPY a line feed within a value is written as `\n`. */
function countRows(text: Uint8Array): number {
  let count = 0;
  for (let at = text.indexOf(LINE_FEED); at >= 0; at = text.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

function fileName(index: number, table: string, part: number): string {
  const number = (value: number, digits: number) => String(value).padStart(digits, "0");
  return `${number(index, 2)}-${table.replaceAll(/\W/g, "_")}.${number(part, 4)}.copy.gz`;
}
