/**
 * The list of all commands.
 * @module
 */
import { Command, Option } from "commander";
import { printable } from "../base/text.ts";
import { exampleEnvironment } from "../registry.ts";
import * as parse from "./arguments.ts";
import { cancel, renderCancel } from "./commands/cancel.ts";
import { check, checkExitCode, renderCheck } from "./commands/check.ts";
import { doctor, doctorExitCode, renderDoctor } from "./commands/doctor.ts";
import { effect, renderEffectReport } from "./commands/effect.ts";
import { effects, renderEffects } from "./commands/effects.ts";
import { event, eventBytes, renderEventChain } from "./commands/event.ts";
import { events, renderEvents } from "./commands/events.ts";
import { failed, renderFailed } from "./commands/failed.ts";
import { job, renderJobChain } from "./commands/job.ts";
import { jobs, renderJobs } from "./commands/jobs.ts";
import { migrate, renderMigrated } from "./commands/migrate.ts";
import { renderReplay, replay, replayExitCode } from "./commands/replay.ts";
import { renderReplayedMany, replayedManyExitCode, replayMany } from "./commands/replay_many.ts";
import { planReplay, renderPlan } from "./commands/replay_plan.ts";
import { renderRetry, retry } from "./commands/retry.ts";
import { renderRetriedMany, retryMany } from "./commands/retry_many.ts";
import { renderSent, send, sentExitCode } from "./commands/send.ts";
import { renderStatus, status } from "./commands/status.ts";
import * as telegram from "./commands/telegram.ts";
import { ExitCode } from "./failure.ts";
import type { Host } from "./host.ts";
import * as many from "./many.ts";
import { openBot, withApp, withDatabase } from "./open.ts";
import { jsonOutput, pageOf, type Render, textOutput } from "./output.ts";

/** Makes the program. `end` is told the exit code of a command that came to its end. */
export function createProgram(host: Host, end: (exitCode: ExitCode) => void): Command {
  const program = new Command("hookwork");
  const command = (usage: string, about: string, parent = program) =>
    parent.command(usage).description(about);
  const show = <T>(value: T, render: Render<T>, exitCode: ExitCode = ExitCode.done) => {
    const { json } = program.opts<{ json?: boolean }>();
    host.write(json ? jsonOutput(value) : textOutput(value, render, pageOf(host)));
    end(exitCode);
  };

  configure(program, host)
    .description("Looks after webhooks and their jobs.")
    .option("--json", "print one JSON document instead of text");

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
        const retrying = withDatabase(host, (db) => retryMany(db, options, agree));
        return show(await retrying, renderRetriedMany);
      }
      show(await withDatabase(host, (db) => retry(db, id, options)), renderRetry);
    });

  command("cancel", "give a job up that has not begun")
    .argument("<id>", "the job's id", parse.parseId)
    .action(async (id) => show(await withDatabase(host, (db) => cancel(db, id)), renderCancel));

  command("replay", "make the jobs of stored events again, but none whose key is taken")
    .argument("[id]", "the event's id", parse.parseId)
    .option("--source <name>", "only events of this source")
    .addOption(many.timeOption(host, "--from", "only events received then or later"))
    .addOption(
      many.timeOption(host, "--to", "only events received before then").default(host.now(), "now"),
    )
    .addOption(new Option("--after <id>", "only events after this one").argParser(parse.parseId))
    .option("--again", "also jobs whose key is taken: they are made without it")
    .option("--dry-run", "tell what would be made, and make nothing")
    .addOption(many.rateOption("events")).addOption(many.yesOption())
    .action(async (id, options, self) => {
      const also = ["to", "after", "dryRun", "rate", "yes"];
      if (!many.isAboutMany(self, id, ["source", "from"], also)) {
        const value = await withApp(host, (app) => replay(app, id, options));
        return show(value, renderReplay, replayExitCode(value));
      }
      if (options.dryRun) {
        return show(await withApp(host, (app) => planReplay(app, options)), renderPlan);
      }
      const agree = many.agreement(host, self);
      const value = await withApp(host, (app) => replayMany(app, host, options, agree));
      show(value, renderReplayedMany, replayedManyExitCode(value));
    });

  command("jobs", "list the newest jobs")
    .addOption(parse.statusOption()).addOption(parse.kindOption()).addOption(parse.limitOption())
    .action(async (options) =>
      show(await withDatabase(host, (db) => jobs(db, options)), renderJobs)
    );

  command("job", "show all of a job: its history, its event, that event's other jobs")
    .argument("<id>", "the job's id", parse.parseId)
    .action(async (id) => show(await withDatabase(host, (db) => job(db, id)), renderJobChain));

  command("events", "list the newest events")
    .option("--source <name>", "only events of this source")
    .option("--errors", "only events that could not be routed")
    .addOption(parse.limitOption())
    .action(async (options) =>
      show(await withDatabase(host, (db) => events(db, options)), renderEvents)
    );

  command("event", "show all of an event: what came in, and the jobs that grew from it")
    .argument("<id>", "the event's id", parse.parseId)
    .option("--raw", "write the exact bytes that came in, and nothing else")
    .action(async (id, { raw }) => {
      if (!raw) return show(await withDatabase(host, (db) => event(db, id)), renderEventChain);
      host.write(await withDatabase(host, (db) => eventBytes(db, id)));
      end(ExitCode.done);
    });

  command("effects", "list what was noted last of creations in the outside world")
    .addOption(parse.plannedOption()).addOption(parse.effectStateOption())
    .addOption(parse.kindOption("effects")).addOption(parse.limitOption())
    .action(async (options) =>
      show(await withDatabase(host, (db) => effects(db, options)), renderEffects)
    );

  command("effect", "show an effect, or decide whether it happened where nobody else can tell")
    .argument("<key>", "the effect's key")
    .addOption(parse.happenedOption()).addOption(parse.didNotHappenOption())
    .action(async (key, options) =>
      show(await withDatabase(host, (db) => effect(db, key, options)), renderEffectReport)
    );

  command("send", "send a signed sample to the receiver, as the sender would")
    .argument("<source>", "the source's name")
    .option("--url <url>", "where the receiver is; on this machine when absent", parse.parseHttpUrl)
    .action(async (source, options) => {
      const value = await withApp(host, (app) => send(app, source, options));
      show(value, renderSent, sentExitCode(value));
    });

  command("migrate", "bring the database to the schema of this version")
    .action(async () => show(await migrate(host), renderMigrated));

  command("check", "try the configuration, the database and Telegram; ends with 0 if all is well")
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

  const bot = command("telegram", "set up the Telegram bot");

  command("chats", "list the chats that wrote to the bot, with their ids", bot)
    .action(async () => show(await telegram.chats(openBot(host)), telegram.renderChats));

  command("set-webhook", "have updates sent to this receiver", bot)
    .argument("<url>", "https://<your domain>/hooks/telegram", parse.parseHttpsUrl)
    .action(async (url) => show(await telegram.setWebhook(host, url), telegram.renderWebhookSet));

  command("webhook-info", "tell whether updates arrive", bot)
    .action(async () =>
      show(await telegram.webhookInfo(openBot(host), host.now()), telegram.renderWebhook)
    );

  return program;
}

/** Everything goes through the host, and nothing ends the process. Commands take this over. */
function configure(program: Command, host: Host): Command {
  const width = () => Number.isFinite(host.columns) ? host.columns : 100;
  return program.exitOverride().configureHelp({ showGlobalOptions: true }).configureOutput({
    writeOut: (text) => host.write(text),
    writeErr: (text) => host.writeError(printable(text, { lines: true })),
    getOutHelpWidth: width,
    getErrHelpWidth: width,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}
