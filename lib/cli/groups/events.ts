/**
 * The commands about stored events.
 * @module
 */
import { Option } from "commander";
import * as parse from "../arguments.ts";
import { event, eventBytes, renderEventChain } from "../commands/event.ts";
import { events, renderEvents } from "../commands/events.ts";
import { gap, gaps, renderGap, renderGaps } from "../commands/gaps.ts";
import { renderReplay, replay, replayExitCode } from "../commands/replay.ts";
import { renderReplayedMany, replayedManyExitCode, replayMany } from "../commands/replay_many.ts";
import { planReplay, renderPlan } from "../commands/replay_plan.ts";
import { renderSent, send, sentExitCode } from "../commands/send.ts";
import { ExitCode } from "../failure.ts";
import * as many from "../many.ts";
import { withApp, withDatabase } from "../open.ts";
import type { Cli } from "./cli.ts";

/** Adds them to the program. */
export function eventCommands({ host, command, show, end }: Cli): void {
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

  command("gaps", "list the times in which deliveries may have been lost, and what became of them")
    .addOption(parse.limitOption())
    .action(async (options) =>
      show(await withDatabase(host, (db) => gaps(db, options)), renderGaps)
    );

  command("gap", "close a gap of which a person has found out what was lost in it")
    .argument("<id>", "the gap's id", parse.parseId)
    .requiredOption("--result <text>", "what that came to")
    .action(async (id, options) =>
      show(await withDatabase(host, (db) => gap(db, id, options)), renderGap)
    );

  command("send", "send a signed sample to the receiver, as the sender would")
    .argument("<source>", "the source's name")
    .option("--url <url>", "where the receiver is; on this machine when absent", parse.parseHttpUrl)
    .action(async (source, options) => {
      const value = await withApp(host, (app) => send(app, source, options));
      show(value, renderSent, sentExitCode(value));
    });
}
