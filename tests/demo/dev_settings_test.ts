import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { parseEnv } from "node:util";
import { isServedHere, writeSettingsOnce } from "../../demo/dev_settings.ts";
import { loadConfig } from "../../lib/base/config.ts";
import { definitions, registrySettings } from "../../lib/registry.ts";

const URL_OF_DEV = "postgres://postgres:secret@127.0.0.1:25432/postgres";

async function inFolder(work: (file: URL) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(new URL(`file://${folder}/.env`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("writeSettingsOnce() writes settings that every part of the system can start with", () =>
  inFolder(async (file) => {
    await writeSettingsOnce(URL_OF_DEV, file);
    const written = parseEnv(await Deno.readTextFile(file)) as Record<string, string>;
    const settings = registrySettings(definitions).map((group) => group.settings);
    const config = loadConfig(written, Object.assign({}, ...settings));
    assertEquals(config.DATABASE_URL, URL_OF_DEV);
    assertMatch(`${config.TELEGRAM_API}`, /^http:\/\/127\.0\.0\.1:/);
  }));

Deno.test("writeSettingsOnce() lets nobody else read the secrets, and makes new ones each time", () =>
  inFolder(async (file) => {
    await writeSettingsOnce(URL_OF_DEV, file);
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
    const first = await Deno.readTextFile(file);
    await Deno.remove(file);
    await writeSettingsOnce(URL_OF_DEV, file);
    assertNotEquals(await Deno.readTextFile(file), first);
  }));

Deno.test("writeSettingsOnce() never touches settings that are there", () =>
  inFolder(async (file) => {
    await Deno.writeTextFile(file, "MINE=1\n");
    await writeSettingsOnce(URL_OF_DEV, file);
    assertEquals(await Deno.readTextFile(file), "MINE=1\n");
  }));

Deno.test("isServedHere() takes no database of somebody else for the one that dev starts", () => {
  assertEquals(isServedHere(URL_OF_DEV, 25432), true);
  for (
    const other of ["postgres://db.example:25432/x", "postgres://127.0.0.1:5432/x", "", undefined]
  ) {
    assertEquals(isServedHere(other, 25432), false, other);
  }
});
