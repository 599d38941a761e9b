/** The processes under the narrow conditions of a service, and the test system's own promise to leave none behind. */

import { assertEquals, assertThrows } from "@std/assert";
import { startSystem } from "../support/system.ts";
import { accountSettings, startSampleAccount } from "../../demo/sample_account.ts";
import { serviceCommand } from "../../demo/service.ts";
import { type ProgramTask, readTask } from "../../deploy/programs.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("receiver, worker and CLI run with their narrow flags from /, without HOME and without a terminal", async () => {
  await using amocrm = await startSampleAccount();
  const documents = await Deno.makeTempDir({ prefix: "hookwork-documents-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(documents, { recursive: true }));
  await using system = await startSystem({
    ...accountSettings(amocrm),
    AMOCRM_ACCESS_TOKEN: amocrm.token,
    CONTRACT_DIR: documents,
  });
  const run = async (task: ProgramTask, args: string[] = [], ready?: RegExp) => {
    const file = ROOT + (await readTask(task)).entry;
    const command = await serviceCommand(task, { file, args, envFile: false });
    const flags = command.map((word) =>
      word.replace(
        /^(--allow-(?:read|write)=)(.+)$/,
        (_, flag, paths) => flag + paths.split(",").map((path: string) => ROOT + path).join(","),
      )
    );
    return await startProcess({
      name: task,
      // Deno finds its cache by HOME, unless it is told.
      command: "env",
      args: ["-u", "HOME", "-C", "/", `DENO_DIR=${await cacheFolder()}`, ...flags],
      env: system.env,
      ready,
    });
  };
  await using receiver = await run("serve", [], /\] started\b/);
  await using worker = await run("work", [], /\] started\b/);
  const [, port] = /port=(\d+)/.exec(await receiver.waitFor(/listening .*port=\d+/))!;
  const url = ["--url", `http://127.0.0.1:${port}`];
  await using sent = await run("cli", ["send", "site", ...url]);
  assertEquals(await sent.exit, 0, sent.lines.join("\n"));
  await system.jobIs("1", "done");
  const ready = await fetch(`http://127.0.0.1:${port}/ready`);
  assertEquals((await ready.json()).problems, []);
  const poison = await system.enqueue("site.form", { nothing: true });
  await system.jobIs(poison, "failed");
  await until("a human is told", () => system.telegram.messages.length === 1);
  await using check = await run("cli", ["check"]);
  assertEquals(await check.exit, 0, check.lines.join("\n"));
  receiver.kill();
  worker.kill();
  assertEquals(await Promise.all([receiver.exit, worker.exit]), [0, 0]);
});

Deno.test("a test's system leaves no process behind, not even a frozen one or one that ignores its signal", async () => {
  const pids: number[] = [];
  {
    await using system = await startSystem();
    const [receiver, frozen, stubborn] = await Promise.all([
      system.receiver(),
      system.worker(),
      system.worker(),
    ]);
    pids.push(receiver.pid, frozen.pid, stubborn.pid);
    frozen.kill("SIGSTOP");
    await system.started(await system.enqueue("ignore_signal", { seconds: 60 }));
    stubborn.kill("SIGTERM");
  }
  for (const pid of pids) assertThrows(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
});

async function cacheFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
