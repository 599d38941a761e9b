/**
 * What the commands about backups work with: the places of the settings, and the one who waits at the terminal.
 * @module
 */
import type { BackupSettings } from "../base/backup_settings.ts";
import { backupSettings } from "../base/backup_settings.ts";
import { loadConfig, settingsOf } from "../base/config.ts";
import { RefusedError } from "../base/errors.ts";
import type { Outside } from "../base/outside.ts";
import { s3StoreOf } from "../base/s3.ts";
import { createDirectoryStore } from "../backup/directory_store.ts";
import type { Watcher } from "../backup/progress.ts";
import { type Backup, openBackup } from "../backup/read.ts";
import { createS3Store } from "../backup/s3_store.ts";
import type { BackupStore } from "../backup/store.ts";
import { storageOf, storageSettings } from "../contracts/settings.ts";
import type { DocumentStorage } from "../contracts/storage.ts";
import type { Host } from "./host.ts";
import { openOutside } from "./open.ts";

/** A night's log must stay readable. */
const PROGRESS_MS = 5000;

/** The places that the settings name. */
export interface Places {
  readonly databaseUrl: string;
  readonly directory: BackupStore;
  /** Undefined where no bucket is set. */
  readonly bucket: BackupStore | undefined;
  /** Where contracts are kept. */
  readonly documents: DocumentStorage;
  readonly keepDays: number;
}

/** Neither a seller nor an account is asked for. */
function placesOf({ environment }: Pick<Host, "environment">, signal: AbortSignal): Places {
  const config = loadConfig(environment, { ...backupSettings, ...storageSettings });
  const settings = settingsOf(config, backupSettings);
  const outside = openOutside(signal);
  return {
    databaseUrl: config.DATABASE_URL,
    directory: createDirectoryStore(settings.BACKUP_DIR),
    bucket: bucketOf(settings, outside),
    documents: storageOf(settingsOf(config, storageSettings), outside),
    keepDays: settings.BACKUP_KEEP_DAYS,
  };
}

function bucketOf(settings: BackupSettings, outside: Outside): BackupStore | undefined {
  const bucket = settings.BACKUP_S3_BUCKET;
  if (bucket === undefined) return undefined;
  const store = s3StoreOf("BACKUP", {
    bucket,
    endpoint: settings.BACKUP_S3_ENDPOINT,
    region: settings.BACKUP_S3_REGION,
    accessKey: settings.BACKUP_S3_ACCESS_KEY,
    secretKey: settings.BACKUP_S3_SECRET_KEY,
  });
  return createS3Store(store, outside);
}

/** The backup of an address: a folder, a name in BACKUP_DIR, or `s3://<bucket>/<name>`. Throws RefusedError when it is not there. */
export async function backupAt({ directory, bucket }: Places, address: string): Promise<Backup> {
  const [, folder, name] = /^(?:(.*)\/)?([^/]+)\/?$/.exec(address) ?? [];
  if (name === undefined) throw new RefusedError(`Cannot use backup ${address}: it has no name`);
  if (folder === undefined) return await openBackup(directory, name);
  if (!folder.startsWith("s3://")) return await openBackup(createDirectoryStore(folder), name);
  if (bucket?.place === folder) return await openBackup(bucket, name);
  throw new RefusedError(
    `Cannot use backup ${address}: BACKUP_S3_BUCKET names another bucket, or none; set it with its address and keys`,
  );
}

/**
 * Does long work with the places that the settings name, and says how far it is; Ctrl-C stops it between two steps. What the disk
 * refuses becomes a RefusedError. Throws ConfigError, and PermanentError when a part of a store is not set.
 */
export async function withPlaces<T>(
  host: Host,
  work: (places: Places, watcher: Watcher) => Promise<T>,
): Promise<T> {
  let toldMs = performance.now();
  const progress = (line: string) => {
    if (performance.now() - toldMs < PROGRESS_MS) return;
    toldMs = performance.now();
    host.writeError(`${line}\n`);
  };
  return await host.interruptible(async (signal) => {
    try {
      return await work(placesOf(host, signal), { progress, signal });
    } catch (error) {
      if (signal.aborted) throw new RefusedError("Stopped before it came to its end; run it again");
      throw diskRefusal(error);
    }
  });
}

function diskRefusal(error: unknown): unknown {
  const isOfDisk = error instanceof Error && / \(os error \d+\)/.test(error.message) &&
    !("errno" in error && "syscall" in error);
  if (!isOfDisk && !(error instanceof Deno.errors.NotCapable)) return error;
  const { message } = error as Error;
  return new RefusedError(
    `Cannot go on with files: ${message}; see the folder, its owner, and the room on its disk`,
  );
}
