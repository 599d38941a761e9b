/** Intake by real processes: whatever is acknowledged is there, once, however senders and receivers fail. */

import { assertEquals, assertGreater } from "@std/assert";
import { Agent, type IncomingMessage, request } from "node:http";
import { signedHeaders } from "../../demo/site.ts";
import { freePort } from "../support/process.ts";
import { type Receiver, startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";

Deno.test("of 1,000 posts none that was acknowledged is missing, although the receiver is killed again and again (rule 1)", async () => {
  await using system = await startSystem({ PORT: `${freePort()}`, LOG_LEVEL: "info" });
  let receiver = await system.receiver();
  const forms = Array.from({ length: 1000 }, (_, index) => ({ id: `form-${index}` }));
  const acknowledged: string[] = [];
  let lost = 0;
  const sender = async () => {
    for (let form = forms.pop(); form; form = forms.pop()) {
      const answer = await receiver.post(form).catch(() => undefined);
      if (answer?.status === 202) acknowledged.push(`${answer.body.id}`);
      else {
        lost++;
        forms.push(form);
        await until("a receiver answers", () => isUp(receiver.port));
      }
    }
  };
  const senders = Promise.all(Array.from({ length: 16 }, sender));
  for (let kills = 1; kills <= 6; kills++) {
    await until("posts go through", () => acknowledged.length >= kills * 130);
    receiver.kill("SIGKILL");
    await receiver.exit;
    receiver = await system.receiver();
  }
  await senders;
  assertGreater(lost, 0);
  assertEquals(acknowledged.length, 1000);
  const { sql } = system.database;
  const [stored] = await sql`
    select count(*)::int as events, count(distinct dedup_key)::int as forms,
      (select count(*)::int from jobs) as jobs,
      (select array_agg(id)::text from events) as ids
    from events
  `;
  assertEquals({ ...stored, ids: undefined }, {
    events: 1000,
    forms: 1000,
    jobs: 1000,
    ids: undefined,
  });
  const ids = new Set(stored!.ids.slice(1, -1).split(","));
  assertEquals(acknowledged.filter((id) => !ids.has(id)), []);
});

Deno.test("50 identical posts to two receivers in the same instant give one event, one job and 50 times 202 (rule 2)", async () => {
  await using system = await startSystem();
  const receivers = await Promise.all([system.receiver(), system.receiver()]);
  for (let round = 1; round <= 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => receivers[index % 2]!.post({ id: `same-${round}` })),
    );
    assertEquals(answers.map(({ status }) => status), Array(50).fill(202));
    assertEquals(answers.filter(({ body }) => !body.duplicate).length, 1);
    assertEquals(await counts(system), { events: round, jobs: round });
  }
});

Deno.test("a form whose answer was lost after the commit is a duplicate when it is sent again", async () => {
  await using system = await startSystem();
  const receiver = await system.receiver();
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: receiver.port });
  await connection.write(new TextEncoder().encode(rawPost(system, `{"id":"lost"}`)));
  await until("the form is stored", async () => (await counts(system)).events === 1);
  connection.close();
  const { status, body } = await receiver.post({ id: "lost" });
  assertEquals({ status, duplicate: body.duplicate }, { status: 202, duplicate: true });
  assertEquals(await counts(system), { events: 1, jobs: 1 });
});

Deno.test("1,000 posts of 2 KB go over one connection: it is kept alive", async () => {
  await using system = await startSystem({ LOG_LEVEL: "info" });
  const receiver = await system.receiver();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number>();
  for (let index = 0; index < 1000; index++) {
    const body = JSON.stringify({ id: `form-${index}`, text: "x".repeat(2000) });
    const { status, localPort } = await postBy(agent, system, receiver, body);
    assertEquals(status, 202);
    ports.add(localPort);
  }
  agent.destroy();
  assertEquals(ports.size, 1);
  assertEquals(await counts(system), { events: 1000, jobs: 1000 });
});

async function isUp(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

async function counts({ database: { sql } }: System) {
  const [row] = await sql<{ events: number; jobs: number }[]>`
    select (select count(*)::int from events) as events, (select count(*)::int from jobs) as jobs
  `;
  return { ...row! };
}

function rawPost({ env }: System, body: string): string {
  const headers = {
    host: "localhost",
    "content-length": `${body.length}`,
    ...signedHeaders(body, env.SITE_WEBHOOK_SECRET!),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST /hooks/site HTTP/1.1\r\n${head}\r\n${body}`;
}

/** A post that tells from which port it was sent. */
function postBy(agent: Agent, { env }: System, { port }: Receiver, body: string) {
  return new Promise<{ status: number; localPort: number }>((resolve, reject) => {
    const sent = request({
      agent,
      port,
      path: "/hooks/site",
      method: "POST",
      headers: signedHeaders(body, env.SITE_WEBHOOK_SECRET!),
    }, (response: IncomingMessage) => {
      const localPort = response.socket.localPort!;
      response.resume().once("end", () => resolve({ status: response.statusCode!, localPort }));
    });
    sent.once("error", reject).end(body);
  });
}
