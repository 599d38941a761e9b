import { assertEquals } from "@std/assert";
import { asAdmin } from "../support/database.ts";
import { startProcess } from "../support/process.ts";

const SECONDS = 120;

Deno.test("the drill passes every step on a server that it shares, and leaves no database there", async () => {
  const url = Deno.env.get("TEST_DATABASE_URL")!;
  await using drill = await startProcess({
    name: "the drill",
    args: ["run", "--no-prompt", "--allow-all", "demo/main.ts", "--once"],
    env: { DATABASE_URL: url },
  });
  const result = await drill.waitFor(/^drill: /, { within: SECONDS });
  assertEquals(
    result.replace(/\d+ passed/, "N passed"),
    "drill: N passed, 0 failed",
    drill.lines.join("\n"),
  );
  assertEquals(await drill.exit, 0);
  assertEquals(drill.lines.at(-1), result);
  const left = await asAdmin((admin) =>
    admin`select datname from pg_database where datname like 'hookwork\_demo\_%'`
  );
  assertEquals(left.length, 0);
});
