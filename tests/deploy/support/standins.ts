/** Programs that stand in for the compiled ones: the same names and permissions, run from the source. */

import { PROGRAMS } from "../../../deploy/programs.ts";
import { serviceCommand } from "../../../demo/service.ts";
import { TEST_WORKER } from "../../support/system.ts";

/** A folder of programs and a file of settings, as a server has them; gone when the test leaves its scope. */
export interface Installation extends AsyncDisposable {
  readonly programs: string;
  readonly settings: string;
}

/** Installs them; the worker is that of the tests, with its handlers. `settings` is the text of the file. */
export async function install(settings: string): Promise<Installation> {
  const root = await Deno.makeTempDir();
  const programs = `${root}/current`;
  await Deno.mkdir(programs);
  for (const { name, task } of PROGRAMS) {
    const file = task === "work" ? TEST_WORKER : undefined;
    const command = await serviceCommand(task, { file, envFile: false });
    const script = `#!/bin/sh\nexec ${command.map(quoted).join(" ")} "$@"\n`;
    await Deno.writeTextFile(`${programs}/${name}`, script, { mode: 0o755 });
  }
  await Deno.writeTextFile(`${root}/hookwork.env`, settings);
  return {
    programs,
    settings: `${root}/hookwork.env`,
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** The text of a file of settings, each value between single quotes. */
export function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`).join("");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
