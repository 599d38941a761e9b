import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { emptyWorld, filledWorld, type World } from "../../backup/support.ts";
import { startS3 } from "../../contracts/s3_server.ts";
import { until } from "../../support/until.ts";
import { cli, environment } from "../support.ts";

const SECRET = "backup-s3cret-key";
const now = { now: () => new Date() };

function environmentOf(world: World, more: Record<string, string> = {}): Record<string, string> {
  return {
    ...environment(world.database.url),
    AMOCRM_ACCOUNT: "1",
    BACKUP_DIR: world.backupsFolder,
    CONTRACT_DIR: world.documentsFolder,
    ...more,
  };
}

/** What `hookwork backups --json` lists. */
async function listed(env: Record<string, string>): Promise<{ backup: string; rows: number }[]> {
  return JSON.parse((await cli(env, ["backups", "--json"])).output);
}

Deno.test("backup, backups and restore bring an installation back by what they print themselves", async () => {
  await using world = await filledWorld();
  const env = environmentOf(world);
  assertStringIncludes((await cli(env, ["backups"])).output, "There is no backup yet");
  const made = await cli(env, ["backup"], now);
  assertEquals([made.exitCode, made.errors], [0, ""]);
  const [, address] = /^Backed up to (\S+)$/m.exec(made.output)!;
  assertStringIncludes(made.output, "1 document(s).");
  assertStringIncludes((await cli(env, ["backups"])).output, address!);
  const verified = await cli(env, ["backup", "--verify", address!]);
  assertEquals(verified.exitCode, 0);
  assertStringIncludes(verified.output, "is whole");

  await using other = await emptyWorld();
  const target = { ...environmentOf(other), BACKUP_DIR: world.backupsFolder };
  const name = address!.split("/").at(-1)!;
  const unasked = await cli(target, ["restore", name]);
  assertEquals(unasked.exitCode, 2);
  assertStringIncludes(unasked.errors, "add --yes to go on");
  const restored = await cli(target, ["restore", name, "--yes"]);
  assertEquals([restored.exitCode, restored.errors], [0, ""]);
  for (
    const words of [
      `Restored ${address}`,
      "Lost: at most what came between",
      "work 2, later 1",
      "2026-#: 102 counts as the last one",
      "Start the receivers, then the workers",
    ]
  ) assertStringIncludes(restored.output, words);
  const again = await cli(target, ["restore", name, "--yes"]);
  assertEquals(again.exitCode, 1);
  assertStringIncludes(again.errors, "the database is not empty (rows: ");
});

Deno.test("restore says in JSON what it came to, and leaves out as many numbers as it is told", async () => {
  await using world = await filledWorld();
  await cli(environmentOf(world), ["backup"]);
  const [found] = await listed(environmentOf(world));
  await using other = await emptyWorld();
  const args = ["restore", found!.backup, "--yes", "--skip-numbers", "0", "--json"];
  const value = JSON.parse((await cli(environmentOf(other), args)).output);
  assertEquals([value.rows, value.documents, value.numbers], [found!.rows, 1, [
    { series: "2026-#", last: "2" },
  ]]);
  assertEquals(value.backup, found!.backup);
});

Deno.test("a backup goes to S3 too and comes back from there, and its keys are shown nowhere", async () => {
  await using world = await filledWorld();
  await using s3 = startS3();
  const bucket = {
    BACKUP_S3_BUCKET: s3.store.bucket,
    BACKUP_S3_ENDPOINT: s3.store.endpoint,
    BACKUP_S3_REGION: s3.store.region,
    BACKUP_S3_ACCESS_KEY: s3.store.accessKey,
    BACKUP_S3_SECRET_KEY: s3.store.secretKey,
  };
  const env = environmentOf(world, bucket);
  const made = await cli(env, ["backup"]);
  assertEquals([made.exitCode, made.errors], [0, ""]);
  const [, address] = /^Backed up to (s3:\S+)$/m.exec(made.output)!;
  assertEquals((await listed(env)).map(({ backup }) => backup.startsWith("s3:")), [false, true]);
  await Deno.remove(world.backupsFolder, { recursive: true });
  await using other = await emptyWorld();
  const target = environmentOf(other, bucket);
  assertEquals((await cli(target, ["backup", "--verify", address!])).exitCode, 0);
  assertEquals((await cli(target, ["restore", address!, "--yes"])).exitCode, 0);
  const elsewhere = await cli(environmentOf(other), ["restore", address!, "--yes"]);
  assertStringIncludes(elsewhere.errors, "BACKUP_S3_BUCKET names another bucket, or none");
  const wrong = await cli({ ...env, BACKUP_S3_SECRET_KEY: SECRET }, ["backup"]);
  assertEquals(wrong.exitCode, 1);
  assertStringIncludes(wrong.errors, "the answer was 403");
  const said = [made, elsewhere, wrong].map(({ output, errors }) => output + errors).join();
  for (const secret of [SECRET, s3.store.secretKey]) assert(!said.includes(secret));
  for (const bytes of s3.objects.values()) {
    assert(!new TextDecoder().decode(bytes).includes(s3.store.secretKey));
  }
});

Deno.test("only a backup that reached all its places counts, and one that went elsewhere does not", async () => {
  await using world = await filledWorld();
  const { sql } = world.database;
  const known = async () => ({
    ...(await sql`select begun_at is not null as begun, completed_at is not null as completed from backups`)[
      0
    ],
  });
  await using s3 = startS3();
  const half = environmentOf(world, {
    BACKUP_S3_BUCKET: s3.store.bucket,
    BACKUP_S3_ENDPOINT: s3.store.endpoint,
    BACKUP_S3_ACCESS_KEY: "k",
  });
  const unset = await cli(half, ["backup"]);
  assertStringIncludes(unset.errors, "BACKUP_S3_SECRET_KEY is not");
  assertEquals(await known(), { begun: false, completed: false });
  const to = `${world.backupsFolder}/mine`;
  assertEquals((await cli(environmentOf(world), ["backup", "--to", to])).exitCode, 0);
  assertEquals(await known(), { begun: false, completed: false });
  const refused = { ...half, BACKUP_S3_SECRET_KEY: "x" };
  assertEquals((await cli(refused, ["backup"])).exitCode, 1);
  assertEquals(await known(), { begun: true, completed: false });
  // Names have seconds, and the folder has the backup of this one.
  await until(
    "the clock goes on",
    async () => (await cli(environmentOf(world), ["backup"])).exitCode === 0,
  );
  assertEquals(await known(), { begun: true, completed: true });
});

Deno.test("a document that is lost makes the backup end with 1, and the rows are safe all the same", async () => {
  await using world = await filledWorld();
  await Deno.remove(`${world.documentsFolder}/contract-1-4521-v1.pdf`);
  const made = await cli(environmentOf(world), ["backup"]);
  assertEquals(made.exitCode, 1);
  assertStringIncludes(
    made.output,
    "Problem: Document contract-1-4521-v1.pdf is not in the storage",
  );
  assertEquals((await listed(environmentOf(world))).length, 1);
});

Deno.test("a backup whose manifest is damaged does not hide the others from whoever has to restore one", async () => {
  await using world = await filledWorld();
  const env = environmentOf(world);
  await cli(env, ["backup"]);
  const broken = `${world.backupsFolder}/hookwork-20260101T000000Z`;
  await Deno.mkdir(broken);
  await Deno.writeTextFile(`${broken}/manifest.json`, "");
  const { exitCode, output } = await cli(env, ["backups"]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, "its manifest is damaged");
  assertEquals((await listed(env)).map(({ rows }) => rows === null), [false, true]);
});

Deno.test("a document that no backup has any more does not keep the rows from coming back, when that is said", async () => {
  await using world = await filledWorld();
  await cli(environmentOf(world), ["backup"]);
  const [found] = await listed(environmentOf(world));
  await Deno.writeTextFile(`${world.backupsFolder}/documents/contract-1-4521-v1.pdf`, "x");
  await using other = await emptyWorld();
  const args = ["restore", found!.backup, "--yes"];
  const refused = await cli(environmentOf(other), args);
  assertEquals(refused.exitCode, 1);
  assertStringIncludes(refused.errors, "--leave-out-documents restores the rest");
  const { exitCode, output } = await cli(environmentOf(other), [...args, "--leave-out-documents"]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, `${found!.rows} row(s), 0 document(s)`);
  assertStringIncludes(output, "Left out: Cannot use ");
  assertEquals((await other.database.sql`select from contract_documents`).length, 2);
});

Deno.test("a folder that cannot be written and a backup that is not there are told in one line", async () => {
  await using world = await filledWorld();
  const full = await cli(environmentOf(world, { BACKUP_DIR: "/dev/null/backups" }), ["backup"]);
  assertEquals(full.exitCode, 1);
  assertStringIncludes(full.errors, "Cannot go on with files:");
  const none = await cli(environmentOf(world), ["restore", "hookwork-20010101T000000Z", "--yes"]);
  assertEquals(none.exitCode, 1);
  assertStringIncludes(none.errors, "there is none, or it was never whole");
  for (const { errors } of [full, none]) {
    assertEquals(errors.trimEnd().split("\n").length, 1, errors);
  }
});

Deno.test("a backup of a database without the tables of this version says what to run", async () => {
  await using other = await emptyWorld();
  const { exitCode, errors } = await cli(environmentOf(other), ["backup"]);
  assertEquals(exitCode, 1);
  assertStringIncludes(errors, "run `hookwork migrate`");
});
