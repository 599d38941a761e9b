import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { ConfigError } from "../../lib/base/errors.ts";
import { settingsOfServer } from "../../lib/cli/environment.ts";

const FILE = "/etc/hookwork/hookwork.env";

/** A file system with these files; notes what was read. */
function files(contents: Record<string, string | Error>, read: string[] = []) {
  return (path: string) => {
    read.push(path);
    const content = contents[path] ?? new Deno.errors.NotFound("no such file");
    if (content instanceof Error) throw content;
    return content;
  };
}

Deno.test("on a server a command has the settings of the services, and what its environment sets goes first", () => {
  const read = files({ [FILE]: "DATABASE_URL='postgres://db'\nPORT=8081\n" });
  const settings = settingsOfServer({ PORT: "9000", PATH: "/bin" }, read);
  assertEquals(settings, { DATABASE_URL: "postgres://db", PORT: "9000", PATH: "/bin" });
});

Deno.test("an environment that names a database is taken as it is: a developer's command never meets a server's database", () => {
  const read: string[] = [];
  const environment = { DATABASE_URL: "postgres://mine" };
  assertEquals(settingsOfServer(environment, files({ [FILE]: "PORT=1" }, read)), environment);
  assertEquals(read, []);
});

Deno.test("where there is no settings' file a command has its environment", () => {
  const environment = { PORT: "1" };
  assertEquals(settingsOfServer(environment, files({})), environment);
});

Deno.test("a settings' file that is closed to a person tells how to get at it", () => {
  const closed = files({ [FILE]: new Deno.errors.PermissionDenied("denied") });
  const error = assertThrows(() => settingsOfServer({}, closed), ConfigError);
  assertMatch(error.message, /hookwork\.env cannot be read: .*sudo/);
});

Deno.test("HOOKWORK_ENV_FILE names another settings' file, which has to be there", () => {
  const environment = { HOOKWORK_ENV_FILE: "/srv/two.env", DATABASE_URL: "postgres://mine" };
  const settings = settingsOfServer(environment, files({ "/srv/two.env": "PORT=2" }));
  assertEquals(settings, { ...environment, PORT: "2" });
  const error = assertThrows(() => settingsOfServer(environment, files({})), ConfigError);
  assertMatch(error.message, /\/srv\/two\.env cannot be read: .*see whether the file is there/);
});
