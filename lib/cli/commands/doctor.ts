/**
 * `hookwork doctor`: what usually goes wrong, how it is, and what helps. Ends with 1 when something is bad.
 * @module
 */
import type { App } from "../../app.ts";
import { examine } from "../../flow/doctor.ts";
import type { Finding } from "../../flow/finding.ts";
import { ExitCode } from "../failure.ts";
import { contact } from "../open.ts";

/** Examines everything; `now` is this machine's clock. */
export async function doctor(app: App, now: () => Date): Promise<Finding[]> {
  await contact(app.db);
  return await examine(app, () => now().getTime());
}

/** Fails when work stands still or soon will. */
export function doctorExitCode(findings: readonly Finding[]): ExitCode {
  return findings.some(({ level }) => level === "bad") ? ExitCode.failed : ExitCode.done;
}

/** The verdict first, then a line for each thing, its remedy below it. */
export function renderDoctor(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ part }) => part.length));
  const lines = findings.flatMap(({ level, part, detail, remedy }) => {
    const label = `${level.toUpperCase().padEnd("LOOK".length)}  ${part.padEnd(width)}  `;
    const help = remedy === undefined ? [] : [`${" ".repeat(label.length)}-> ${remedy}`];
    return [`${label}${detail}`, ...help];
  });
  return [verdict(findings), "", ...lines].join("\n");
}

function verdict(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((one) => one.level === level).length;
  const [bad, look] = [count("bad"), count("look")];
  if (bad > 0) return `Not well: ${bad} thing(s) are bad, ${look} more to look at.`;
  return look > 0 ? `All seems well: ${look} thing(s) to look at.` : "All is well.";
}
