import { assert, assertEquals } from "@std/assert";
import { inheritedEnvironment, serviceCommand } from "../../demo/service.ts";

Deno.test("serviceCommand() gives a demo the flags of the task, but not the operator's .env", async () => {
  const command = await serviceCommand("serve", { args: ["--x"], envFile: false });
  assertEquals([command[0], command[1]], [Deno.execPath(), "run"]);
  assertEquals(command.slice(-2), ["main.ts", "--x"]);
  assert(command.some((word) => word.startsWith("--allow-net")), command.join(" "));
  assertEquals(command.filter((word) => word.startsWith("--env-file")), []);
});

Deno.test("serviceCommand() gives dev the .env too, and its flags before the file", async () => {
  const command = await serviceCommand("serve", { flags: ["--watch"], envFile: true });
  assert(command.some((word) => word.startsWith("--env-file")), command.join(" "));
  assertEquals(command.slice(-2), ["--watch", "main.ts"]);
});

Deno.test("inheritedEnvironment() lets no setting of the operator reach a demo", () => {
  const environment = { PATH: "/bin", HEARTBEAT_URL: "https://monitor.example", DB_POOLER: "true" };
  assertEquals(inheritedEnvironment(environment), { PATH: "/bin" });
});
