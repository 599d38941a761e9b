/**
 * The commands about backups.
 * @module
 */
import { InvalidArgumentError, Option } from "commander";
import { backup, backupExitCode, renderBackup } from "../commands/backup.ts";
import { backups, renderBackups } from "../commands/backups.ts";
import { renderRestored, restore } from "../commands/restore.ts";
import { renderVerified, verifiedExitCode, verify } from "../commands/backup_verify.ts";
import * as many from "../many.ts";
import type { Cli } from "./cli.ts";

/** More than a business signs between two backups; a gap in the numbers does no harm, and a number given out twice does. */
const SKIPPED_NUMBERS = 100;
const MAX_SKIPPED = 1_000_000;

function parseCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
  if (count <= MAX_SKIPPED) return count;
  throw new InvalidArgumentError(`A count is a whole number from 0 to ${MAX_SKIPPED}.`);
}

/** Adds them to the program. */
export function backupCommands({ host, command, show }: Cli): void {
  command("backup", "write the database and the documents to BACKUP_DIR, and to S3 if that is set")
    .option("--to <folder>", "write this one there, and nowhere else; old ones stay")
    .addOption(
      new Option("--verify <backup>", "write nothing, and read a backup to its last byte instead")
        .conflicts("to"),
    )
    .action(async ({ to, verify: address }) => {
      if (address !== undefined) {
        const value = await verify(host, address);
        return show(value, renderVerified, verifiedExitCode(value));
      }
      const value = await backup(host, { to });
      show(value, renderBackup, backupExitCode(value));
    });

  command("backups", "list the backups that are whole")
    .action(async () => show(await backups(host), renderBackups));

  command("restore", "bring a backup back into an empty database, while nothing else runs")
    .argument("<backup>", "a folder, a name in BACKUP_DIR, or s3://<bucket>/<name>")
    .addOption(
      new Option("--skip-numbers <n>", "how many numbers of each series of contracts to leave out")
        .argParser(parseCount).default(SKIPPED_NUMBERS),
    )
    .option("--leave-out-documents", "go on without documents that the backup has lost")
    .addOption(many.yesOption())
    .action(async (address, options, self) => {
      const agree = many.agreement(host, self);
      show(await restore(host, address, { ...options, agree }), renderRestored);
    });
}
