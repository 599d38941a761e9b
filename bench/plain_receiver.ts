/**
 * The receiver that one would write first: each request is proven and stored in a transaction of its own.
 *
 * It does what Hookwork's does (event, job, repeat, notification) and leaves out what that does besides. The pool is as
 * large as pays off: more connections were not faster.
 * @module
 */
import postgres from "postgres";
import { hmacProof } from "../lib/base/proof.ts";

const POOL = 16;

const secrets = [Deno.env.get("SITE_WEBHOOK_SECRET")!];
const sql = postgres(Deno.env.get("DATABASE_URL")!, { max: POOL, fetch_types: false });

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  // deno-lint-ignore no-console -- how it says where it listens
  onListen: ({ port }) => console.error(`listening port=${port}`),
}, async (request) => {
  const body = await request.bytes();
  const signature = request.headers.get("x-signature")?.replace(/^sha256=/, "") ?? null;
  const proof = await hmacProof({ body, signature, secrets });
  if (!proof.ok) return new Response(null, { status: 401 });
  const headers = Object.fromEntries(request.headers);
  const id = await store(body, JSON.stringify(headers));
  return Response.json(id === undefined ? { duplicate: true } : { id, jobs: 1 }, { status: 202 });
});

Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await sql.end({ timeout: 1 });
  Deno.exit(0);
});

async function store(body: Uint8Array<ArrayBuffer>, headers: string): Promise<string | undefined> {
  const form = JSON.parse(new TextDecoder().decode(body));
  return await sql.begin(async (sql) => {
    const [event] = await sql<{ id: string }[]>`
      insert into events (source, dedup_key, secret_index, path, headers, body)
      values ('site', ${form.id}, 0, '/hooks/site', ${headers}::text::jsonb, ${body})
      on conflict (source, dedup_key) do nothing returning id
    `;
    if (event === undefined) return undefined;
    await sql`
      insert into jobs (kind, payload, event_id)
      values ('site.form', ${JSON.stringify({ form })}::text::json, ${event.id})
    `;
    await sql`select pg_notify('hookwork_jobs', '')`;
    return event.id;
  });
}
