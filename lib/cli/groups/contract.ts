/**
 * The commands about contracts.
 * @module
 */
import * as parse from "../arguments.ts";
import { preview, renderPreview, savePreview } from "../commands/contract.ts";
import { contractChain, renderContractChain } from "../commands/contract_chain.ts";
import { ExitCode } from "../failure.ts";
import { withDatabase } from "../open.ts";
import type { Cli } from "./cli.ts";

/** Adds them to the program. */
export function contractCommands({ host, command, show, end }: Cli): void {
  const contract = command(
    "contract",
    "show all of a deal's contracts: webhooks, jobs, files, notes",
  )
    .argument("<lead>", "the deal's id", parse.parseId)
    .action(async (lead) =>
      show(await withDatabase(host, (db) => contractChain(db, lead)), renderContractChain)
    );

  command("preview", "print a contract as a deal would get it, to look at a template", contract)
    .requiredOption("--template <version>", "the version: a folder in templates/contract")
    .option("--sample", "print the template's sample")
    .option("--data <file>", "print this data instead: a JSON file in the form of sample.json")
    .option("--out <file>", "write the PDF there; to standard output when absent")
    .action(async ({ out, ...options }, self) => {
      if (!options.sample && !options.data) self.error("error: give --sample, or --data <file>");
      if (!out && Number.isFinite(host.columns)) self.error("error: give --out <file>, or a pipe");
      const pdf = await preview(host, options);
      if (out) return show(await savePreview(out, pdf), renderPreview);
      host.write(pdf);
      end(ExitCode.done);
    });
}
