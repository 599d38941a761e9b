/** Through a real PgBouncer in transaction mode: no prepared statements, no LISTEN, few connections. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { tempFolder } from "../backup/support.ts";
import { emptyDatabase } from "../support/database.ts";
import { installed, nameWith } from "../support/installed.ts";
import { freePort, startProcess } from "../support/process.ts";
import { startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";

const pgbouncer = installed(
  "/usr/sbin/pgbouncer",
  "/usr/bin/pgbouncer",
  "/usr/local/bin/pgbouncer",
);

Deno.test({
  name: nameWith(
    { pgbouncer },
    "through PgBouncer in transaction mode posts are stored, jobs are done, and the CLI works",
  ),
  ignore: !pgbouncer,
  async fn() {
    await using pooled = await startPooled();
    const { system } = pooled;
    const [receiver, worker] = await Promise.all([system.receiver(), system.worker()]);
    const post = (id: string) => receiver.post({ id });
    for (let batch = 1; batch <= 2; batch++) {
      const answers = await Promise.all(
        Array.from({ length: 25 }, (_, n) => post(`${batch}-${n}`)),
      );
      assertEquals(answers.map(({ status }) => status), Array(25).fill(202));
    }
    const ids = await Promise.all(Array.from({ length: 10 }, () => system.enqueue("wait")));
    for (const id of ids) await system.jobIs(id, "done", 5);
    const { code, output } = await system.cli(["job", ids[0]!]);
    assertEquals(code, 0, output);
    assertStringIncludes(output, "done");
    receiver.kill();
    worker.kill();
    assertEquals(await Promise.all([receiver.exit, worker.exit]), [0, 0]);
  },
});

Deno.test({
  name: nameWith(
    { pgbouncer },
    "24 posts at once through PgBouncer with two connections hang none",
  ),
  ignore: !pgbouncer,
  async fn() {
    await using pooled = await startPooled();
    const { system } = pooled;
    const receivers = await Promise.all([system.receiver(), system.receiver()]);
    for (let round = 1; round <= 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, n) => receivers[n % 2]!.post({ id: `${round}-${n}` })),
      );
      assertEquals(answers.map(({ status }) => status), Array(24).fill(202));
    }
  },
});

Deno.test({
  name: nameWith(
    { pgbouncer },
    "a backup through PgBouncer is one snapshot, and comes back through PgBouncer",
  ),
  ignore: !pgbouncer,
  async fn() {
    await using pooled = await startPooled();
    const { system } = pooled;
    await using temp = await tempFolder();
    system.env.BACKUP_DIR = temp.path;
    await system.enqueue("wait");
    const made = await system.cli(["backup", "--json"]);
    assertEquals(made.code, 0, made.output);
    const [address] = JSON.parse(made.output).backups;
    await using empty = await emptyDatabase();
    const url = new URL(system.env.DATABASE_URL!);
    system.env.DATABASE_URL = Object.assign(url, { pathname: `/${empty.name}` }).href;
    const restored = await system.cli(["restore", address, "--yes"]);
    assertEquals(restored.code, 0, restored.output);
    const kinds = await empty.sql`select kind from jobs`;
    assertEquals(kinds.map(({ kind }) => kind), ["wait"]);
  },
});

interface Pooled extends AsyncDisposable {
  system: System;
}

/** A system whose processes reach the database through PgBouncer only. */
async function startPooled(): Promise<Pooled> {
  await using stack = new AsyncDisposableStack();
  const system = stack.use(await startSystem({ DB_POOLER: "true" }));
  const port = freePort();
  const dir = await Deno.makeTempDir({ prefix: "hookwork-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  await writeConfig(dir, port, new URL(system.database.url));
  // PgBouncer refuses to run as root.
  const user = Deno.uid() === 0 ? ["-u", "nobody"] : [];
  stack.use(
    await startProcess({
      name: "pgbouncer",
      command: pgbouncer!,
      args: [...user, `${dir}/pgbouncer.ini`],
      ready: /process up/,
    }),
  );
  system.env.DATABASE_URL = `postgres://pooled@127.0.0.1:${port}${
    new URL(system.database.url).pathname
  }`;
  await until("PgBouncer passes statements on", async () => {
    return (await system.cli(["status"])).code === 0;
  });
  const held = stack.move();
  return { system, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

async function writeConfig(dir: string, port: number, target: URL): Promise<void> {
  const { hostname, username, password } = target;
  const login = `user=${username}${password === "" ? "" : ` password=${password}`}`;
  await Deno.writeTextFile(
    `${dir}/pgbouncer.ini`,
    `[databases]
* = host=${hostname} port=${target.port || 5432} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`,
  );
  await Deno.chmod(dir, 0o755);
}
