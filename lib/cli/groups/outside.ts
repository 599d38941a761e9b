/**
 * The commands about what jobs do in the outside world.
 * @module
 */
import * as parse from "../arguments.ts";
import { effect, renderEffectReport } from "../commands/effect.ts";
import { effects, renderEffects } from "../commands/effects.ts";
import { lane, lanes, renderLane, renderLanes } from "../commands/lanes.ts";
import { withApp, withDatabase } from "../open.ts";
import type { Cli } from "./cli.ts";

/** Adds them to the program. */
export function outsideCommands({ host, command, show }: Cli): void {
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

  command("lanes", "list the outside services that jobs need, and which of them are paused")
    .action(async () => show(await withApp(host, lanes), renderLanes));

  command("lane", "show a lane, hold its jobs, or let them go on")
    .argument("<name>", "the lane's name")
    .addArgument(parse.laneAction())
    .option("--reason <text>", "why it is paused")
    .action(async (name, action, { reason }, self) => {
      if (reason !== undefined && action !== "pause") self.error("error: --reason goes with pause");
      show(await withApp(host, (app) => lane(app, name, { action, reason })), renderLane);
    });
}
