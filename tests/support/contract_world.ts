/** An installation that prepares contracts: a fake account with deals, a print service, a folder, and the real worker. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { sha256 } from "../../lib/contracts/storage.ts";
import type { FieldValue, Lead } from "../../demo/fake_amocrm/entities.ts";
import type { Amocrm, AmocrmOptions } from "../../demo/fake_amocrm/server.ts";
import { amocrmEvents } from "../../lib/base/amocrm_tasks.ts";
import { CONTRACT, PIPELINE, start } from "../demo/fake_amocrm/support.ts";
import { serveHttp } from "../outside/servers.ts";
import { type Gate, startGate } from "./gate.ts";
import { pdfText } from "./pdf_text.ts";
import type { TestProcess } from "./process.ts";
import { type Receiver, startSystem, type System } from "./system.ts";
import { until } from "./until.ts";

/** The secret end of the webhook's path. */
export const HOOK_SECRET = "contract-world-0123456789abcdefghi";

/** The seller, and what else every contract needs of the settings. */
export const SELLER = {
  CONTRACT_CITY: "Москва",
  CONTRACT_VAT_PERCENT: "22",
  CONTRACT_SELLER_NAME: "ООО «Пример-Поставка»",
  CONTRACT_SELLER_INN: "7700000009",
  CONTRACT_SELLER_KPP: "770001001",
  CONTRACT_SELLER_OGRN: "1027700000008",
  CONTRACT_SELLER_ADDRESS: "101000, г. Москва, ул. Образцовая, д. 1",
  CONTRACT_SELLER_ACCOUNT: "40702810000000000001",
  CONTRACT_SELLER_BANK: "АО «Банк-Образец», г. Москва",
  CONTRACT_SELLER_BIK: "044525000",
  CONTRACT_SELLER_CORRESPONDENT_ACCOUNT: "30101810000000000000",
  CONTRACT_SELLER_POSITION: "Генеральный директор",
  CONTRACT_SELLER_SIGNATORY: "И. О. Фамилия",
  CONTRACT_SELLER_REPRESENTED: "генерального директора Фамилии И. О.",
};

/** What the buyer's company has filled in. */
export const REQUISITES: Readonly<Record<string, string>> = {
  "ИНН": "7700000016",
  "КПП": "770001002",
  "ОГРН": "1027700000019",
  "Юридический адрес": "142000, г. Образцово, Промышленный пр-д, д. 7",
  "Расчетный счет": "40702810000000000002",
  "Банк": "АО «Банк-Образец», г. Москва",
  "БИК": "044525000",
  "Корр. счёт": "30101810000000000000",
  "Должность подписанта": "Директор",
  "Подписант": "И. О. Фамилия",
  "В лице": "директора Фамилии И. О., действующего на основании Устава",
};

const TERMS: Readonly<Record<string, string>> = {
  "Порядок оплаты": "предоплата 50 %",
  "Срок поставки": "20 рабочих дней",
  "Адрес поставки": "г. Образцово, склад 2",
  "Гарантия": "12 месяцев",
};

/** Text fields as the API has them. */
export function textFields(texts: Readonly<Record<string, string>>): FieldValue[] {
  return Object.entries(texts).map(([field_name, value], index) => ({
    field_id: 880_200 + index,
    field_name,
    field_code: null,
    field_type: "text",
    values: [{ value }],
  }));
}

/** What is there of a deal's contract. */
export interface Found {
  readonly rows: readonly {
    doc_number: string;
    file_path: string;
    content_hash: string | null;
    crm_note_ref: string | null;
  }[];
  readonly notes: readonly { id: number; text: string }[];
  readonly files: readonly string[];
}

/** The installation. */
export interface ContractWorld extends AsyncDisposable {
  readonly system: System;
  readonly fake: Amocrm;
  /** What stands between the worker and the account, and between it and the print service. */
  readonly crm: Gate;
  readonly printer: Gate;
  /** How often the print service was asked. */
  readonly prints: { count: number };
  /** A whole deal; at the stage "contract" unless told otherwise. */
  deal(changes?: Partial<Lead>, requisites?: Readonly<Record<string, string>>): Lead;
  worker(env?: Record<string, string>): Promise<TestProcess>;
  /** Starts a receiver to which the account's webhook is subscribed, for all that makes tasks unless told otherwise. */
  receiver(events?: readonly string[]): Promise<Receiver>;
  /** Ends the workers. */
  stop(): Promise<void>;
  /** Waits until every delivery has been taken, and every job of `prepare_contract` is over; for 30 s unless told otherwise. */
  quiet(limit?: { within: number }): Promise<void>;
  /** Makes the job that a webhook of this deal makes. */
  enqueue(lead: Lead, maxAttempts?: number): Promise<string>;
  found(lead: Lead): Promise<Found>;
  /** Fails unless the deal has one row, one file and one note, all of the same number; gives the number. */
  oneOfEach(lead: Lead): Promise<string>;
  /** The text of a file of the folder. */
  read(file: string): Promise<string>;
}

/** Starts one. Contracts are printed by a fake print service, unless `pdfmake` is asked for. */
export async function startContractWorld(
  options: {
    env?: Record<string, string>;
    pdfmake?: boolean;
    amocrm?: AmocrmOptions;
    /** The text of template v1; the program's own when absent. */
    template?: string;
  } = {},
): Promise<ContractWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "hookwork-contracts-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  if (options.template !== undefined) {
    await Deno.mkdir(`${folder}/templates/v1`, { recursive: true });
    await Deno.writeTextFile(`${folder}/templates/v1/contract.txt`, options.template);
  }
  // Each change in a second of its own, which is long past: two alike in one second are one delivery, byte for byte.
  let second = Math.floor(Date.now() / 1000) - 86_000;
  const fake = stack.use(await start({ timeScale: 1e-4, now: () => second++, ...options.amocrm }));
  const crm = stack.use(startGate(fake.url));
  const prints = { count: 0 };
  const print = stack.use(serveHttp(async (request) => {
    prints.count++;
    return new Response(`%PDF-1.7\n${await request.text()}\n%%EOF\n`);
  }));
  const printer = stack.use(startGate(print.url));
  const system = stack.use(
    await startSystem({
      ...SELLER,
      AMOCRM_ACCOUNT: `${fake.account.id}`,
      AMOCRM_WEBHOOK_SECRET: HOOK_SECRET,
      AMOCRM_CONTRACT_PIPELINE_ID: `${PIPELINE}`,
      AMOCRM_CONTRACT_STAGE_ID: `${CONTRACT}`,
      AMOCRM_URL: crm.url.origin,
      AMOCRM_ACCESS_TOKEN: fake.tokens.issue(),
      CONTRACT_DIR: folder,
      ...options.pdfmake ? {} : { CONTRACT_PRINT_URL: printer.url.href },
      ...options.template === undefined ? {} : { CONTRACT_TEMPLATES: `${folder}/templates` },
      ...options.env,
    }),
  );
  async function found({ id }: Lead): Promise<Found> {
    const rows = await system.database.sql<Found["rows"][number][]>`
      select doc_number, file_path, content_hash, crm_note_ref from contract_documents where lead_id = ${id} order by id
    `;
    const notes = fake.crm.notes.filter(({ entity_id }) => entity_id === id)
      .map(({ id, params }) => ({ id, text: `${params.text}` }));
    const all = await Array.fromAsync(Deno.readDir(folder));
    const files = all.filter(({ isFile, name }) => isFile && name.includes(`-${id}-`))
      .map(({ name }) => name);
    return { rows: [...rows], notes, files };
  }
  async function read(file: string): Promise<string> {
    const bytes = await Deno.readFile(`${folder}/${file}`);
    const text = options.pdfmake ? await pdfText(bytes) : new TextDecoder().decode(bytes);
    return text.replaceAll("\u00a0", " ");
  }
  const item = fake.crm.createItem({ name: "Ворота откатные", catalog: 77, price: 184_000 });
  const workers: TestProcess[] = [];
  const held = stack.move();
  return {
    system,
    fake,
    crm,
    printer,
    prints,
    deal(changes = {}, requisites = REQUISITES) {
      const company = fake.crm.createCompany({
        name: "ООО «Пример-Монтаж»",
        fields: textFields(requisites),
      });
      return fake.crm.createLead({
        name: "Ворота, д. 7",
        price: 368_000,
        pipeline_id: PIPELINE,
        status_id: CONTRACT,
        companies: [{ id: company.id }],
        items: [{ id: item.id, catalog_id: 77, quantity: 2 }],
        custom_fields_values: textFields(TERMS),
        ...changes,
      });
    },
    async worker(env) {
      const flags = [`--allow-read=${folder}`, `--allow-write=${folder}`];
      const worker = await system.worker({ file: "worker.ts", env, flags });
      workers.push(worker);
      return worker;
    },
    async stop() {
      for (const worker of workers.splice(0)) await worker[Symbol.asyncDispose]();
    },
    async receiver(events = amocrmEvents) {
      const receiver = await system.receiver();
      fake.hooks.subscribe(
        `http://127.0.0.1:${receiver.port}/hooks/amocrm/${HOOK_SECRET}`,
        events,
      );
      return receiver;
    },
    async quiet({ within } = { within: 30 }) {
      await fake.hooks.idle();
      const open = () =>
        system.database.sql`
        select from jobs where kind = 'prepare_contract' and status in ('pending', 'running')
      `;
      await until("no contract is being prepared", async () => (await open()).length === 0, {
        within,
      });
    },
    async enqueue({ id }, maxAttempts = 8) {
      const account = `${fake.account.id}`;
      const lead = `${id}`;
      const [row] = await system.database.sql`
        insert into jobs (kind, payload, max_attempts) values ('prepare_contract',
          ${
        JSON.stringify({ account, lead, templateVersion: "v1" })
      }::text::json, ${maxAttempts}) returning id
      `;
      await system.database.sql`notify hookwork_jobs`;
      return row!.id;
    },
    found,
    async oneOfEach(lead) {
      const { rows, notes, files } = await found(lead);
      assertEquals([rows.length, notes.length, files.length], [1, 1, 1], `of deal ${lead.id}`);
      const { doc_number, file_path, content_hash, crm_note_ref } = rows[0]!;
      assertEquals([file_path, crm_note_ref], [files[0]!, `${notes[0]!.id}`]);
      assertEquals(content_hash, await sha256(await Deno.readFile(`${folder}/${file_path}`)));
      assertStringIncludes(await read(file_path), `Договор поставки № ${doc_number}`);
      assertStringIncludes(notes[0]!.text, `Договор № ${doc_number} `);
      return doc_number;
    },
    read,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
