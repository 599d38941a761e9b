/** The Dockerfile: what it pins, what reaches it, and that its first process lets the watchdog do its work. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PROGRAMS } from "../../deploy/programs.ts";
import { cli } from "../cli/support.ts";
import { installed, nameWith } from "../support/installed.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));
const dockerfile = await read("Dockerfile");

Deno.test("The Deno of denow, of the image and of CI is one", async () => {
  const [, pinned] = (await read("denow")).match(/^version=(\S+)$/m)!;
  const [, image] = dockerfile.match(/^ARG DENO_IMAGE=\S+:(\S+)$/m)!;
  const [, workflow] = (await read(".github/workflows/ci.yml")).match(/DENO_VERSION: (\S+)$/m)!;
  assertEquals({ image, workflow }, { image: pinned, workflow: pinned });
});

Deno.test("The image's label names the version that is in it", async () => {
  const { version } = JSON.parse(await read("deno.json"));
  assertStringIncludes(dockerfile, `\nARG VERSION=${version}\n`);
  assertStringIncludes(dockerfile, 'org.opencontainers.image.version="${VERSION}"');
});

Deno.test("Nothing reaches the image but what is named: no settings, no documents, no backups", async () => {
  const lines = (await read(".dockerignore")).split("\n");
  const [everything, ...exceptions] = lines.filter((line) => line && !line.startsWith("#"));
  assertEquals(everything, "*");
  const named = exceptions.map((line) => line.slice(1));
  const source = ["deno.json", "deno.lock", "cli.ts", "main.ts", "worker.ts", "deploy/*.ts"];
  assertEquals(named, [...source, "jsr", "lib", "migrations", "templates"]);
  assert(!/^(ARG|ENV) .*(SECRET|TOKEN|PASSWORD|_KEY)/m.test(dockerfile));
});

Deno.test("The image has the three programs, runs as nobody of the machine, and asks itself how it is", async () => {
  const [, copied] = dockerfile.match(/^COPY --from=binaries (.*) \S+$/m)!;
  assertEquals(copied!.split(" ").toSorted(), PROGRAMS.map(({ name }) => name).toSorted());
  assertMatch(dockerfile, /^USER [1-9]\d*:[1-9]\d*$/m);
  const [program, command] = listAfter(/^HEALTHCHECK .* CMD /m);
  assertEquals(program, "hookwork");
  assertStringIncludes((await cli({}, ["--help"])).output, `\n  ${command} `);
});

const unshare = Deno.uid() === 0 ? installed("/usr/bin/unshare") : undefined;
const tini = installed("/usr/bin/tini");

Deno.test({
  name: nameWith(
    { "unshare, with root to use it,": unshare, tini },
    "The watchdog ends a program that stands still also where it is all there is in a container",
  ),
  ignore: unshare === undefined || tini === undefined,
}, async () => {
  const entrypoint = listAfter(/^ENTRYPOINT /m);
  const program = [Deno.execPath(), "run", "--no-prompt", "--allow-run", "--allow-read"];
  await using container = await startProcess({
    name: "container",
    command: unshare,
    args: [
      ...["--pid", "--fork", "--kill-child", "--mount-proc", ...entrypoint, ...program],
      ...["tests/support/watchdog_entry.ts", "stand_still", "json"],
    ],
  });
  await container.waitFor(/the event loop stands still/);
  let code: number | undefined;
  container.exit.then((exit) => code = exit);
  await until("the container ends", () => code !== undefined);
  const exitOfKill = 128 + 9;
  assertEquals(code, exitOfKill);
});

/** A list of the form that Docker runs without a shell. */
function listAfter(instruction: RegExp): string[] {
  const [found] = dockerfile.match(instruction)!;
  const rest = dockerfile.slice(dockerfile.indexOf(found) + found.length);
  return JSON.parse(rest.slice(0, rest.indexOf("\n")));
}
