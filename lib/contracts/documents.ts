/**
 * The table `contract_documents`: which contract a deal has, with its number, its file and its note.
 * @module
 */
import type postgres from "postgres";
import { PermanentError } from "../base/errors.ts";
import type { NumberSeries } from "./numbers.ts";

/** What sends statements: `ctx.sql`, or a pool. */
export type Sql = postgres.ISql<Record<never, never>>;

/** What has one contract. */
export interface DocumentKey {
  readonly accountId: string;
  readonly leadId: string;
  readonly templateVersion: string;
}

/** One row. */
export interface ContractRecord extends DocumentKey {
  readonly id: string;
  readonly number: string;
  /** The date in the contract, `2026-12-01`. */
  readonly date: string;
  /** The name in the storage. */
  readonly path: string;
  /** Of the stored file; null until it is stored. */
  readonly sha256: string | null;
  readonly noteRef: string | null;
  readonly createdAt: Date;
}

/** What a new row gets. */
export interface Reservation {
  readonly date: string;
  readonly path: string;
  readonly series: NumberSeries;
}

/** The name of a contract's file, which follows from its key alone: the next attempt finds it. */
export function documentPath({ accountId, leadId, templateVersion }: DocumentKey): string {
  return `contract-${accountId}-${leadId}-${templateVersion}.pdf`;
}

/** Today in a time zone, by the database's clock: `2026-12-01`. */
export async function currentDate(sql: Sql, timeZone: string): Promise<string> {
  const [row] = await sql<{ date: string }[]>`
    select ((now() at time zone ${timeZone}::text)::date)::text as date
  `;
  return row!.date;
}

/** The contract of a key; undefined when none is reserved. */
export async function findDocument(
  sql: Sql,
  { accountId, leadId, templateVersion }: DocumentKey,
): Promise<ContractRecord | undefined> {
  const [row] = await sql<ContractRecord[]>`
    select ${columns(sql)} from contract_documents
    where account_id = ${accountId}::bigint and lead_id = ${leadId}::bigint and template_ver = ${templateVersion}
  `;
  return row;
}

/** All contracts of a deal, the oldest first. */
export async function listDocumentsOfLead(sql: Sql, leadId: string): Promise<ContractRecord[]> {
  return await sql<ContractRecord[]>`
    select ${columns(sql)} from contract_documents where lead_id = ${leadId}::bigint order by id
  `;
}

/**
 * Reserves the row of a key, with the next number of its series; returns the row that is there, if there is one.
 *
 * One statement, so that no number is given out twice and none is printed that is not recorded. The series' row is locked by
 * its update until the statement ends. A process that comes second for one key does not see the first one's row in its
 * snapshot, but the conflict shows it: hence `do update`, which returns that row; its own number stays unused.
 *
 * Throws PermanentError when another series gave the number out already.
 */
export async function reserveDocument(
  sql: Sql,
  key: DocumentKey,
  { date, path, series }: Reservation,
): Promise<ContractRecord> {
  const { accountId, leadId, templateVersion } = key;
  const { name, prefix, digits, suffix, first } = series;
  try {
    const [row] = await sql<ContractRecord[]>`
      with known as materialized (
        select ${columns(sql)} from contract_documents
        where account_id = ${accountId}::bigint and lead_id = ${leadId}::bigint and template_ver = ${templateVersion}
      ), counted as (
        insert into contract_series as series (name, last)
        select ${name}, 1 where not exists (select from known)
        on conflict (name) do update set last = series.last + 1
        returning last, last::text as digits
      ), reserved as (
        insert into contract_documents (account_id, lead_id, template_ver, doc_number, doc_date, file_path)
        select ${accountId}::bigint, ${leadId}::bigint, ${templateVersion},
          coalesce(case when last = 1 then ${first}::text end,
            ${prefix} || lpad(digits, greatest(${digits}::integer, length(digits)), '0') || ${suffix}),
          ${date}::text::date, ${path}
        from counted
        on conflict (account_id, lead_id, template_ver) do update set template_ver = excluded.template_ver
        returning ${columns(sql)}
      )
      select * from known union all select * from reserved
    `;
    return row!;
  } catch (error) {
    throw isTakenNumber(error) ? takenNumber(name) : error;
  }
}

/**
 * Records the hash of the stored file. Throws PermanentError when another one is recorded: the file that was promised is
 * not the one that is there.
 */
export async function recordHash(sql: Sql, id: string, sha256: string): Promise<void> {
  const rows = await sql`
    update contract_documents set content_hash = ${sha256}
    where id = ${id}::bigint and (content_hash is null or content_hash = ${sha256}) returning id
  `;
  if (rows.length > 0) return;
  throw new PermanentError(
    `Cannot record the file of contract document ${id}: another hash is recorded; compare the file with the row`,
  );
}

/** Records the note of a contract whose hash is recorded. Returns the reference that stands: the first one stays. */
export async function recordNote(sql: Sql, id: string, noteRef: string): Promise<string> {
  const [row] = await sql<{ noteRef: string }[]>`
    update contract_documents set crm_note_ref = coalesce(crm_note_ref, ${noteRef})
    where id = ${id}::bigint returning crm_note_ref as "noteRef"
  `;
  if (row) return row.noteRef;
  throw new PermanentError(`Cannot record a note: there is no contract document ${id}`);
}

/** A file that a row speaks of. */
export interface DocumentFile {
  /** The name in the storage. */
  readonly path: string;
  /** As recorded; null when it is not known to be stored. */
  readonly sha256: string | null;
}

/** The files of all contracts. */
export async function listDocumentFiles(sql: Sql): Promise<DocumentFile[]> {
  return await sql<DocumentFile[]>`
    select file_path as path, content_hash as sha256 from contract_documents order by id
  `;
}

/** Leaves out the next numbers of each series; the last one of each that counts as given out then. */
export async function skipNumbers(
  sql: Sql,
  count: number,
): Promise<{ series: string; last: string }[]> {
  return await sql<{ series: string; last: string }[]>`
    update contract_series set last = last + ${count}::bigint returning name as series, last::text
  `;
}

function columns(sql: Sql) {
  return sql`
    id::text, account_id::text as "accountId", lead_id::text as "leadId", template_ver as "templateVersion",
    doc_number as number, doc_date::text as date, file_path as path, content_hash as sha256,
    crm_note_ref as "noteRef", created_at as "createdAt"
  `;
}

function isTakenNumber(error: unknown): boolean {
  const { code, constraint_name } = error as { code?: string; constraint_name?: string };
  return code === "23505" && constraint_name === "contract_documents_doc_number_key";
}

function takenNumber(series: string): PermanentError {
  return new PermanentError(
    `Cannot give out a number of the series ${series}: a contract of another series has it; ` +
      "make CONTRACT_NUMBER_FORMAT differ from the former one by more than the count of digits",
  );
}
