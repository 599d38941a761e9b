/** What deploy.sh does in which order, and what an interruption or a failure leaves; rolling_deploy_test.ts does it for real. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ServerTree, serverTree, UNITS } from "./support/server_tree.ts";

const [FIRST, SECOND, WORKER] = UNITS;
const RELEASE = (version: string) => `${version}-1a2b`;

/** A server on which 1.0.0 is in use and 2.0.0 is to come. */
async function deployed(
  codes?: Record<string, number>,
): Promise<{ tree: ServerTree; next: string }> {
  const tree = await serverTree("1.0.0");
  return { tree, next: await tree.build("2.0.0", codes) };
}

/** The calls of a switch to this version, from its first restart on. */
function restarts(version: string): string[] {
  return [
    `${RELEASE(version)} restart ${FIRST}`,
    `${version} health`,
    `${RELEASE(version)} restart ${SECOND}`,
    `${version} health`,
    `${RELEASE(version)} restart ${WORKER}`,
  ];
}

Deno.test("deploy.sh migrates by the new version, then replaces one receiver after the other, then workers; --rollback goes back without a migration", async () => {
  const { tree, next } = await deployed();
  await using _ = tree;
  assertEquals((await tree.deploy(["systemd", next])).code, 0);
  assertEquals(await tree.calls(), ["2.0.0 check", "2.0.0 migrate", ...restarts("2.0.0")]);
  assertEquals(await tree.release("current"), RELEASE("2.0.0"));
  // A second time goes no further back.
  for (const _ of [1, 2]) {
    const { code, output } = await tree.deploy(["--rollback", "systemd"]);
    assertEquals(code, 0, output);
    assertStringIncludes(output, "keeps the schema of the newer version");
    assertEquals(await tree.calls(), restarts("1.0.0"));
    assertEquals(await tree.release("current"), RELEASE("1.0.0"));
  }
  assertEquals(
    (await tree.deploy(["systemd", `${tree.root}/releases/${RELEASE("2.0.0")}`])).code,
    0,
  );
  assertEquals(await tree.release("current"), RELEASE("2.0.0"));
});

Deno.test("deploy.sh takes a tarball of the programs", async () => {
  const { tree, next } = await deployed();
  await using _ = tree;
  const args = ["-czf", `${tree.root}/build.tar.gz`, "-C", `${next}/..`, "2.0.0"];
  assert((await new Deno.Command("tar", { args }).output()).success);
  assertEquals((await tree.deploy(["systemd", `${tree.root}/build.tar.gz`])).code, 0);
  assertEquals(await tree.release("current"), RELEASE("2.0.0"));
});

Deno.test("deploy.sh that is killed before any of its steps is completed by running it again, and forgets no way back", async () => {
  const steps = await stepsOfDeploy();
  for (let killedAt = 1; killedAt <= steps; killedAt++) {
    const { tree, next } = await deployed();
    await using _ = tree;
    const { code } = await tree.deploy(["systemd", next], { killedAt });
    const what = `killed at step ${killedAt}`;
    assert(code > 128, `${what}: ended with ${code}`);
    const inUse = await tree.release("current");
    assert(inUse === RELEASE("1.0.0") || inUse === RELEASE("2.0.0"), `${what}: ${inUse}`);
    await tree.calls();
    const again = await tree.deploy(["systemd", next]);
    assertEquals(again.code, 0, `${what}: ${again.output}`);
    assertEquals((await tree.calls()).slice(-5), restarts("2.0.0"), what);
    assertEquals(await tree.release("current"), RELEASE("2.0.0"), what);
    assertEquals(await tree.release("previous"), RELEASE("1.0.0"), what);
  }
});

async function stepsOfDeploy(): Promise<number> {
  const { tree, next } = await deployed();
  await using _ = tree;
  assertEquals((await tree.deploy(["systemd", next])).code, 0);
  const steps = await tree.steps();
  assertEquals(steps, 17);
  return steps;
}

Deno.test("deploy.sh --dry-run says each step and changes nothing", async () => {
  const { tree, next } = await deployed();
  await using _ = tree;
  const { code, output } = await tree.deploy(["--dry-run", "systemd", next]);
  assertEquals(code, 0, output);
  for (const step of ["hookwork migrate", `systemctl restart ${SECOND}`, "previous"]) {
    assertStringIncludes(output, step);
  }
  assertEquals(await tree.calls(), []);
  assertEquals(await tree.release("current"), RELEASE("1.0.0"));
  assertEquals([...Deno.readDirSync(`${tree.root}/releases`)].length, 1);
});

for (
  const [what, codes, why] of [
    ["settings that the new version does not take", { check: 78 }, /does not take the settings/],
    ["a migration that fails", { migrate: 1 }, /not migrated/],
  ] as const
) {
  Deno.test(`after ${what} deploy.sh has switched nothing, and the old version runs on`, async () => {
    const { tree, next } = await deployed(codes);
    await using _ = tree;
    const { code, output } = await tree.deploy(["systemd", next]);
    assertEquals(code, 1);
    assertMatch(output, why);
    assertEquals((await tree.calls()).filter((call) => call.includes("restart")), []);
    assertEquals(await tree.release("current"), RELEASE("1.0.0"));
    assertEquals(await tree.release("previous"), undefined);
  });
}

Deno.test("when a receiver does not get ready, deploy.sh leaves the others as they run, and says how to go back", async () => {
  const { tree, next } = await deployed({ health: 1 });
  await using _ = tree;
  const { code, output } = await tree.deploy(["systemd", next]);
  assertEquals(code, 1);
  assertMatch(output, /hookwork-receiver@8081\.service is not ready .*--rollback systemd/);
  const restarted = (await tree.calls()).filter((call) => call.includes("restart"));
  assertEquals(restarted, [`${RELEASE("2.0.0")} restart ${FIRST}`]);
});

Deno.test("after a version that never got ready, and its successor, the way back leads to the one that ran and not to the broken one", async () => {
  const { tree, next } = await deployed({ health: 1 });
  await using _ = tree;
  assertEquals((await tree.deploy(["systemd", next])).code, 1);
  assertEquals((await tree.deploy(["systemd", await tree.build("3.0.0")])).code, 0);
  assertEquals(await tree.release("previous"), RELEASE("1.0.0"));
  assertEquals((await tree.deploy(["systemd", await tree.build("4.0.0", { health: 1 })])).code, 1);
  assertEquals((await tree.deploy(["--rollback", "systemd"])).code, 0);
  assertEquals(await tree.release("current"), RELEASE("3.0.0"));
});

Deno.test("a worker that does not stay up is told, with the way back", async () => {
  const { tree, next } = await deployed();
  await using _ = tree;
  const { code, output } = await tree.deploy(["systemd", next], { failing: WORKER });
  assertEquals(code, 1);
  assertMatch(output, /hookwork-worker@1\.service does not stay up.*--rollback systemd/);
});

Deno.test("of two deploys at once the second one is refused", async () => {
  const { tree, next } = await deployed();
  await using _ = tree;
  using lock = await Deno.open(`${tree.root}/.deploy.lock`, { write: true, create: true });
  await lock.lock(true);
  const { code, output } = await tree.deploy(["systemd", next]);
  assertEquals([code, await tree.calls()], [1, []]);
  assertStringIncludes(output, "another deploy is under way");
});

Deno.test("deploy.sh does not replace a release by another build of the same name", async () => {
  const { tree } = await deployed();
  await using _ = tree;
  const other = await tree.build("other");
  const text = await Deno.readTextFile(`${other}/hookwork`);
  await Deno.writeTextFile(`${other}/hookwork`, text.replace("hookwork other", "hookwork 1.0.0"));
  const { code, output } = await tree.deploy(["systemd", other]);
  assertEquals(code, 1);
  assertStringIncludes(output, "build with a version or a commit of its own");
});

Deno.test("deploy.sh keeps the newest five releases, and the one before, however old it is", async () => {
  const { tree, next } = await deployed();
  await using _ = tree;
  const age = (name: string, day: number) =>
    Deno.utime(`${tree.root}/releases/${name}`, new Date(2020, 0, day), new Date(2020, 0, day));
  await age(RELEASE("1.0.0"), 1);
  for (let day = 2; day <= 7; day++) {
    await Deno.mkdir(`${tree.root}/releases/of-day-${day}`);
    await age(`of-day-${day}`, day);
  }
  assertEquals((await tree.deploy(["systemd", next])).code, 0);
  const kept = [...Deno.readDirSync(`${tree.root}/releases`)].map(({ name }) => name).toSorted();
  const newest = [4, 5, 6, 7].map((day) => `of-day-${day}`);
  assertEquals(kept, [RELEASE("1.0.0"), RELEASE("2.0.0"), ...newest]);
});

Deno.test("deploy.sh refuses what it cannot do, and says what helps", async () => {
  await using tree = await serverTree();
  const refusals: [args: string[], why: RegExp][] = [
    [[], /say systemd or compose/],
    [["systemd"], /say what to deploy/],
    [["--backwards", "systemd"], /--backwards is not known/],
    [["--rollback", "systemd"], /no version before is known/],
    [["--rollback", "systemd", "x"], /takes no other/],
    [["systemd", "/nowhere"], /no program hookwork in \/nowhere/],
  ];
  for (const [args, why] of refusals) {
    const { code, output } = await tree.deploy(args);
    assertEquals(code, 1, output);
    assertMatch(output, why);
  }
});
