/** What install.sh makes of the settings that it is given; install_test.ts and server_test.ts do it for real. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";

const SETTINGS = new URL("../../deploy/settings.sh", import.meta.url).pathname;

/** Runs `write_settings` on a file with this text: what is written, and what is said of it. */
async function written(text: string): Promise<{ code: number; file: string; said: string }> {
  const folder = await Deno.makeTempDir({ prefix: "hookwork-settings-" });
  const [from, to] = [`${folder}/given settings.env`, `${folder}/hookwork.env`];
  await Deno.writeTextFile(from, text);
  const script = `set -euo pipefail
    settings=$1 settings_file=$2 ports=(8081) caddy=1 dry_run='' postgres='' alert_chat='' amocrm_account=''
    say() { :; }
    fail() { printf '%s\\n' "$*"; exit 1; }
    put() { cat >"$3"; }
    . "$3"
    write_settings`;
  const { code, stdout } = await new Deno.Command("bash", {
    args: ["-c", script, "bash", from, to, SETTINGS],
    stdin: "null",
  }).output();
  const file = await Deno.readTextFile(to).catch(() => "");
  await Deno.remove(folder, { recursive: true });
  return { code, file, said: new TextDecoder().decode(stdout) };
}

Deno.test("Quotes, dollars and backticks of a setting are taken over to the letter, and run nothing", async () => {
  const line = `SITE_WEBHOOK_SECRET='$HOME "$(id)" \`id\` # % &'`;
  const { code, file } = await written(`${line}\n`);
  assertEquals(code, 0);
  assertStringIncludes(file, `\n${line}\n`);
});

Deno.test("An empty setting of a file that was saved on Windows does not keep a secret from being made", async () => {
  const { code, file } = await written("SITE_WEBHOOK_SECRET=\r\nBACKUP_DIR=''\r\nPORT=9000\r\n");
  assertEquals(code, 0);
  assert(!file.includes("\r"));
  assert(/^SITE_WEBHOOK_SECRET='[0-9a-f]{64}'$/m.test(file), file);
  assertStringIncludes(file, "\nBACKUP_DIR='/var/backups/hookwork'\n");
  assertStringIncludes(file, "\nPORT=9000\n");
});

Deno.test("A secret in a form that is not taken over is told, and not replaced by another one that its sender does not know", async () => {
  for (const line of ["export SITE_WEBHOOK_SECRET=known", " SITE_WEBHOOK_SECRET=known", "known'"]) {
    const { code, file, said } = await written(`# a comment\n\n${line}\n`);
    assertEquals([code, file], [1, ""]);
    assertStringIncludes(said, "line 3 of ");
    assert(!said.includes("known"), said);
  }
});
