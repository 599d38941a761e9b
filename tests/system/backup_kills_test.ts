/** A backup whose process is killed or stopped: what is left is not taken for a backup. */

import { assertEquals } from "@std/assert";
import { createDirectoryStore } from "../../lib/backup/directory_store.ts";
import { serviceCommand } from "../../demo/service.ts";
import { filledWorld, type World } from "../backup/support.ts";
import { cli, environment } from "../cli/support.ts";
import { serveHttp } from "../outside/servers.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

/** Rows are written and the manifest is not, for as long as it is held. */
async function startHeldBackup(world: World) {
  const held = Promise.withResolvers<Response>();
  const asked = Promise.withResolvers<void>();
  const storage = serveHttp(() => (asked.resolve(), held.promise));
  const env = {
    ...environment(world.database.url),
    AMOCRM_ACCOUNT: "1",
    BACKUP_DIR: world.backupsFolder,
    CONTRACT_S3_BUCKET: "contracts",
    CONTRACT_S3_ENDPOINT: storage.url.origin,
    CONTRACT_S3_ACCESS_KEY: "k",
    CONTRACT_S3_SECRET_KEY: "storage-s3cret",
  };
  const [command, ...args] = await serviceCommand("cli", { args: ["backup"], envFile: false });
  const backup = await startProcess({ name: "backup", command, args, env });
  await asked.promise;
  return Object.assign(backup, {
    async [Symbol.asyncDispose]() {
      backup.kill("SIGKILL");
      await backup.exit;
      held.resolve(new Response());
      await storage[Symbol.asyncDispose]();
    },
  });
}

Deno.test("a backup that is killed in the middle leaves none that looks whole, and the next one succeeds", async () => {
  await using world = await filledWorld();
  const store = createDirectoryStore(world.backupsFolder);
  {
    await using backup = await startHeldBackup(world);
    backup.kill("SIGKILL");
    await backup.exit;
  }
  assertEquals([(await store.list()).length, (await store.listHalf()).length], [0, 1]);
  const [half] = await store.listHalf();
  const env = {
    ...environment(world.database.url),
    AMOCRM_ACCOUNT: "1",
    BACKUP_DIR: world.backupsFolder,
    CONTRACT_DIR: world.documentsFolder,
  };
  const refused = await cli(env, ["restore", half!, "--yes"]);
  assertEquals(refused.exitCode, 1, refused.output);
  assertEquals(JSON.parse((await cli(env, ["backups", "--json"])).output), []);
  // Names have seconds.
  await until("the clock goes on", async () => (await cli(env, ["backup"])).exitCode === 0);
  assertEquals((await store.list()).length, 1);
});

Deno.test("a backup that is stopped ends soon, removes what it began, and says so by its exit code", async () => {
  await using world = await filledWorld();
  const store = createDirectoryStore(world.backupsFolder);
  await using backup = await startHeldBackup(world);
  backup.kill("SIGTERM");
  assertEquals(await backup.exit, 1);
  assertEquals(backup.lines, ["Stopped before it came to its end; run it again"]);
  assertEquals([await store.list(), await store.listHalf()], [[], []]);
});
