/**
 * The commands about jobs.
 * @module
 */
import * as parse from "../arguments.ts";
import { cancel, renderCancel } from "../commands/cancel.ts";
import { failed, renderFailed } from "../commands/failed.ts";
import { job, renderJobChain } from "../commands/job.ts";
import { jobs, renderJobs } from "../commands/jobs.ts";
import { renderRetry, retry } from "../commands/retry.ts";
import { renderRetriedMany, retryMany } from "../commands/retry_many.ts";
import { renderStatus, status } from "../commands/status.ts";
import { refuseUnknownKind } from "../kinds.ts";
import * as many from "../many.ts";
import { withApp, withDatabase } from "../open.ts";
import type { Cli } from "./cli.ts";

/** Adds them to the program. */
export function queueCommands({ host, command, show }: Cli): void {
  command("status", "show whether all is well, and what the queue is at")
    .action(async () => show(await withApp(host, status), renderStatus));

  command("failed", "list the jobs given up last")
    .addOption(parse.kindOption()).addOption(parse.limitOption())
    .action(async (options) =>
      show(await withDatabase(host, (db) => failed(db, options)), renderFailed)
    );

  command("retry", "give a job, or many that failed, a fresh budget and return it to the queue")
    .argument("[id]", "the job's id", parse.parseId)
    .addOption(parse.kindOption())
    .addOption(many.timeOption(host, "--since", "only jobs given up since then"))
    .addOption(many.reasonOption()).addOption(many.rateOption("jobs")).addOption(many.yesOption())
    .option("--again", "also a job that is done: its work is done once more")
    .action(async (id, options, self) => {
      if (many.isAboutMany(self, id, ["kind", "since"], ["reason", "rate", "yes"])) {
        const agree = many.agreement(host, self);
        const retrying = withDatabase(host, async (db) => {
          const retried = await retryMany(db, options, agree);
          if (retried.retried === 0) await refuseUnknownKind(db, options.kind);
          return retried;
        });
        return show(await retrying, renderRetriedMany);
      }
      show(await withDatabase(host, (db) => retry(db, id, options)), renderRetry);
    });

  command("cancel", "give a job up that has not begun")
    .argument("<id>", "the job's id", parse.parseId)
    .action(async (id) => show(await withDatabase(host, (db) => cancel(db, id)), renderCancel));

  command("jobs", "list the newest jobs")
    .addOption(parse.statusOption()).addOption(parse.kindOption()).addOption(parse.limitOption())
    .action(async (options) =>
      show(await withDatabase(host, (db) => jobs(db, options)), renderJobs)
    );

  command("job", "show all of a job: its history, its event, that event's other jobs")
    .argument("<id>", "the job's id", parse.parseId)
    .action(async (id) => show(await withDatabase(host, (db) => job(db, id)), renderJobChain));
}
