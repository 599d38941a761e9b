import { assertEquals } from "@std/assert";
import { startProcess } from "../support/process.ts";

const SECONDS = 90;

Deno.test("the drill passes every step on a database that is not its own, and cleans up", async () => {
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
});
