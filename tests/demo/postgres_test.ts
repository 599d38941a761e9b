/** The embedded Postgres: its data, its crashes, and what happens when its owner dies. */

import { assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { type EmbeddedPostgres, startPostgres } from "../../demo/postgres.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test("a killed Postgres comes back with everything that was committed", async () => {
  const server = await start("killed");
  await query(server, "create table kept (n int); insert into kept values (1)");
  await server.kill();
  await assertRejects(() => query(server, "select 1"));
  await server.restart();
  assertEquals(await query(server, "select n from kept"), [{ n: 1 }]);
  await server.restart("immediate");
  assertEquals(await query(server, "select n from kept"), [{ n: 1 }]);
  await discard(server);
});

Deno.test("a folder is refused to a second owner, and free after the first", async () => {
  const server = await start("owned");
  await assertRejects(() => start("owned"), Error, "is in use by another process");
  await server.stop();
  const again = await start("owned");
  await discard(again);
});

Deno.test("an owner that is killed leaves no Postgres behind, and its data can be used again", async () => {
  const script = `
    const { startPostgres } = await import(${
    JSON.stringify(import.meta.resolve("../../demo/postgres.ts"))
  });
    const { url } = await startPostgres({ dir: ${
    JSON.stringify(folder("orphan"))
  }, durable: false });
    console.log(url);`;
  await using owner = await startProcess({
    name: "owner",
    args: ["eval", "--config", decodeURIComponent(`${ROOT}deno.json`), script],
    ready: /^postgres:/,
  });
  const url = await owner.waitFor(/^postgres:/);
  owner.kill("SIGKILL");
  await until("Postgres has stopped", () => isRefused(Number(new URL(url).port)));
  await discard(await start("orphan"));
});

function start(name: string): Promise<EmbeddedPostgres> {
  return startPostgres({ dir: folder(name), durable: false });
}

function folder(name: string): string {
  return decodeURIComponent(`${ROOT}.hookwork/${name}-${Deno.pid}`);
}

async function discard(server: EmbeddedPostgres): Promise<void> {
  await server.stop();
  await Deno.remove(server.dir, { recursive: true });
}

async function query({ url }: { url: string }, text: string): Promise<unknown[]> {
  const sql = postgres(url, { max: 1, fetch_types: false, connect_timeout: 2 });
  try {
    return [...await sql.unsafe(text)].map((row) => ({ ...row }));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function isRefused(port: number): Promise<boolean> {
  return await Deno.connect({ hostname: "127.0.0.1", port }).then((connection) => {
    connection.close();
    return false;
  }, () => true);
}
