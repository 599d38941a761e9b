/**
 * The commands about the installation itself.
 * @module
 */
import { exampleEnvironment } from "../../registry.ts";
import * as parse from "../arguments.ts";
import { check, checkExitCode, renderCheck } from "../commands/check.ts";
import { doctor, doctorExitCode, renderDoctor } from "../commands/doctor.ts";
import { health, healthExitCode, renderHealth } from "../commands/health.ts";
import { migrate, renderMigrated } from "../commands/migrate.ts";
import { withApp } from "../open.ts";
import type { Cli } from "./cli.ts";

/** Adds them to the program. */
export function upkeepCommands({ host, command, show }: Cli): void {
  command("migrate", "bring the database to the schema of this version")
    .action(async () => show(await migrate(host), renderMigrated));

  command("check", "try the configuration and all that it names; ends with 0 if all is well")
    .option("--example", "print an .env with all settings there are, and check nothing")
    .action(async ({ example }) => {
      if (example) return show(exampleEnvironment(), (text) => text.trimEnd());
      const value = await check(host);
      show(value, renderCheck, checkExitCode(value));
    });

  command("doctor", "tell what is wrong inside and what helps; ends with 1 if something is bad")
    .action(async () => {
      const value = await withApp(host, (app) => doctor(app, host.now));
      show(value, renderDoctor, doctorExitCode(value));
    });

  command("health", "ask the receiver whether it lives; ends with 0 if it does")
    .option("--ready", "ask whether deliveries can be stored now")
    .option("--url <url>", "where the receiver is; on this machine when absent", parse.parseHttpUrl)
    .action(async (options) => {
      const value = await health(host, options);
      show(value, renderHealth, healthExitCode(value));
    });
}
