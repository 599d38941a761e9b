/**
 * What backups need of the environment.
 * @module
 */
import type { SettingValues } from "../setting.ts";
import { integer, optionalText, optionalUrl, text } from "./settings.ts";

/** Where backups go, and how long they stay. */
export const backupSettings = {
  BACKUP_DIR: text("The folder of backups; /var/backups/hookwork on a server.", {
    default: "backups",
  }),
  BACKUP_KEEP_DAYS: integer("How many days a backup is kept; 0 keeps all.", {
    default: 14,
    min: 0,
    max: 36_500,
  }),
  BACKUP_S3_BUCKET: optionalText(
    "The S3 bucket to which each backup is copied; none when not set.",
  ),
  BACKUP_S3_ENDPOINT: optionalUrl("The address of the S3 store of backups, without the bucket."),
  BACKUP_S3_REGION: text("The region of the S3 store of backups.", { default: "us-east-1" }),
  BACKUP_S3_ACCESS_KEY: optionalText("The name of the key of the S3 store of backups."),
  BACKUP_S3_SECRET_KEY: {
    ...optionalText("The secret half of the key of the S3 store of backups."),
    secret: true,
  },
};

/** The values of the settings of backups. */
export type BackupSettings = SettingValues<typeof backupSettings>;
