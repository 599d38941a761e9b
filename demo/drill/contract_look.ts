/**
 * What the steps about contracts see: of each deal one row, one number, one file and one note.
 * @module
 */
import { createDeal, STAGE } from "../sample_account.ts";
import type { System } from "../system.ts";
import { until } from "../until.ts";
import { expect } from "./step.ts";

const WITHIN_SECONDS = 45;

/** Has a manager drag the deal of this buyer to the stage of contracts; it is made when there is none. Gives its id. */
export function dragToContract(system: System, buyer: string): number {
  const { amocrm } = system;
  const id = findDeal(system, buyer) ?? createDeal(amocrm, buyer).id;
  amocrm.crm.changeLead(id, { status_id: STAGE.contract });
  return id;
}

/** The deal of a buyer. */
export function findDeal({ amocrm: { crm } }: System, buyer: string): number | undefined {
  const company = [...crm.companies.values()].find(({ name }) => name === buyer);
  return [...crm.leads.values()]
    .find(({ companies }) => companies.some(({ id }) => id === company?.id))?.id;
}

/** How the jobs of a deal stand, oldest first. */
export async function jobsOfDeal(
  { database: { sql } }: System,
  deal: number,
): Promise<{ status: string; lost: number }[]> {
  return await sql<{ status: string; lost: number }[]>`
    select status, lost from jobs
    where kind = 'prepare_contract' and payload ->> 'lead' = ${`${deal}`} order by id
  `;
}

/** Waits until every webhook has been answered, and no contract of the deal is being prepared. */
export async function quiet(system: System, deal: number): Promise<void> {
  await system.amocrm.hooks.idle();
  await until(
    "the deal's jobs are over",
    () => jobsOfDeal(system, deal),
    (jobs) => jobs.every(({ status }) => status === "done" || status === "superseded"),
    WITHIN_SECONDS,
  );
}

/** Throws unless the deal has one contract, whose number is in its file and in its note. Gives the number. */
export async function oneContract(system: System, deal: number): Promise<string> {
  const { amocrm, database: { sql }, documents } = system;
  const rows = await sql<{ number: string; path: string; note: string | null }[]>`
    select doc_number as number, file_path as path, crm_note_ref as note
    from contract_documents where lead_id = ${`${deal}`}::bigint
  `;
  const notes = amocrm.crm.notes.filter(({ entity_id }) => entity_id === deal);
  const names = await Array.fromAsync(Deno.readDir(documents), ({ name }) => name);
  const files = names.filter((name) => name.includes(`-${deal}-`));
  const counts = { rows: rows.length, files: files.length, notes: notes.length };
  expect(`of deal ${deal}`, counts, { rows: 1, files: 1, notes: 1 });
  const { number, path, note } = rows[0]!;
  expect("what the row names", { path, note }, { path: files[0]!, note: `${notes[0]!.id}` });
  const printed = await Deno.readTextFile(`${documents}/${path}`);
  expect("the number is printed", printed.includes(number), true);
  expect("the note has it", `${notes[0]!.params.text}`.includes(number), true);
  const [others] = await sql`
    select count(*)::integer as count from contract_documents where doc_number = ${number}
  `;
  expect("contracts of this number", others!.count, 1);
  return number;
}
