/**
 * Makes the contract of a key, from wherever an earlier attempt has left it: number, file, hash, in this order.
 * @module
 */
import { PermanentError } from "../base/errors.ts";
import {
  type ContractRecord,
  currentDate,
  type DocumentKey,
  documentPath,
  findDocument,
  recordHash,
  reserveDocument,
  type Sql,
} from "./documents.ts";
import { type NumberFormat, seriesOf } from "./numbers.ts";
import type { Pdf } from "./renderer.ts";
import { type DocumentStorage, sha256 } from "./storage.ts";

/** Where contracts are recorded and kept. */
export interface ContractStore {
  readonly sql: Sql;
  readonly storage: DocumentStorage;
}

/** A contract whose file is stored and recorded. */
export type FinishedContract = ContractRecord & { readonly sha256: string };

/** What is new about a contract that is not there yet. */
export interface NewContract {
  readonly format: NumberFormat;
  /** Of the date in the contract. */
  readonly timeZone: string;
  /** Prints it with the number and the date of its row. */
  print(row: Pick<ContractRecord, "number" | "date">): Promise<Pdf>;
}

/** The contract of a key, if its file is stored; undefined when it has to be made. */
export async function findFinished(
  store: ContractStore,
  key: DocumentKey,
): Promise<FinishedContract | undefined> {
  const row = await findDocument(store.sql, key);
  return row && await finishedOf(store, row);
}

/**
 * Makes the contract of a key, or gives the one that is there. Whoever comes second gets the first one's number and file.
 * Throws PermanentError when the number is another contract's or another file is recorded, and what printing and storing throw.
 */
export async function makeContract(
  store: ContractStore,
  key: DocumentKey,
  { format, timeZone, print }: NewContract,
): Promise<FinishedContract> {
  const { sql, storage } = store;
  const date = await currentDate(sql, timeZone);
  const series = seriesOf(format, { date, leadId: key.leadId });
  const row = await reserveDocument(sql, key, { date, path: documentPath(key), series });
  const finished = await finishedOf(store, row);
  return finished ?? await recorded(sql, row, await keep(storage, row.path, await print(row)));
}

/** A file that was stored by a process that died before it could record it is recorded now; it is not printed again. */
async function finishedOf(
  { sql, storage }: ContractStore,
  row: ContractRecord,
): Promise<FinishedContract | undefined> {
  if (row.sha256 !== null) return { ...row, sha256: row.sha256 };
  const stored = await storage.get(row.path);
  return stored && await recorded(sql, row, await sha256(stored));
}

/** Stores a file and gives its hash; that of the first one, when an attempt that lost its lease has stored its own meanwhile. */
async function keep(storage: DocumentStorage, path: string, pdf: Pdf): Promise<string> {
  try {
    return (await storage.put(path, pdf)).sha256;
  } catch (error) {
    const first = error instanceof PermanentError ? await storage.get(path) : undefined;
    if (first === undefined) throw error;
    return await sha256(first);
  }
}

async function recorded(sql: Sql, row: ContractRecord, sha256: string): Promise<FinishedContract> {
  await recordHash(sql, row.id, sha256);
  return { ...row, sha256 };
}
