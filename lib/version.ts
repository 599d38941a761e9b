/**
 * Which Hookwork this is: the version in deno.json, and the commit that a binary was made of.
 * @module
 */
import project from "../deno.json" with { type: "json" };

/** Such as `0.1.0 (commit 1a2b3c4d5e6f)`; a program that was started from source knows no commit. */
export const version = `${project.version} (${origin()})`;

function origin(): string {
  if (!Deno.build.standalone) return "from source";
  return `commit ${Deno.readTextFileSync(new URL("../dist/commit", import.meta.url))}`;
}
