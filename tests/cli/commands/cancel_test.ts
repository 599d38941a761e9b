import { assertEquals, assertStringIncludes } from "@std/assert";
import { enqueue } from "../../../lib/db/jobs.ts";
import { freshApp } from "../../support/app.ts";
import { claim, jobOf, settle } from "../../support/jobs.ts";
import { cli } from "../support.ts";

Deno.test("cancel ends a waiting job for good, says how to undo it, and a second time is no error", async () => {
  await using app = await freshApp();
  const id = (await enqueue(app.db, { kind: "work", delaySeconds: 3600 }))!;
  for (let n = 0; n < 2; n++) {
    const { exitCode, output } = await cli(app.config.DATABASE_URL, ["cancel", id]);
    assertEquals(exitCode, 0);
    assertStringIncludes(output, `Job ${id} (work) is cancelled`);
    assertStringIncludes(output, `hookwork retry ${id}`);
  }
  const { status, reason } = await jobOf(app.db, id);
  assertEquals({ status, reason }, { status: "failed", reason: "cancelled" });
  assertEquals((await cli(app.config.DATABASE_URL, ["retry", id])).exitCode, 0);
  assertEquals((await claim(app.db)).map((job) => job.id), [id]);
});

Deno.test("cancel refuses a running job and says who runs it, and one that has ended or is unknown", async () => {
  await using app = await freshApp();
  const id = (await enqueue(app.db, { kind: "work" }))!;
  const refusal = async (id: string) => {
    const { exitCode, output, errors } = await cli(app.config.DATABASE_URL, ["cancel", id]);
    assertEquals({ exitCode, output }, { exitCode: 1, output: "" });
    return errors;
  };
  const claims = await claim(app.db, { worker: "host/12" });
  assertStringIncludes(await refusal(id), "it is running (host/12)");
  await settle(app.db, claims);
  assertStringIncludes(await refusal(id), "it has ended already (done)");
  assertStringIncludes(await refusal("17"), "there is no such job");
  assertEquals((await jobOf(app.db, id)).status, "done");
});
