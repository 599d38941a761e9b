/**
 * The folder of templates: a folder for each version, with `contract.txt` and `sample.json`.
 * @module
 */
import { fileURLToPath } from "node:url";
import { describeError, PermanentError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { nameHint } from "../base/nearest.ts";
import { type ContractData, parseContractData } from "./data.ts";
import { parseTemplate, type Template, TemplateError } from "./template.ts";

/** The templates that come with the program, also inside a binary. */
export const OWN_TEMPLATES = fileURLToPath(new URL("../../templates/contract", import.meta.url));

/** What a folder and a key of `contract_documents` can be called. */
const VERSION_FORM = /^[a-z0-9][a-z0-9._-]{0,39}$/i;

/** Reads a version. Throws TemplateError when it is not there or has mistakes. */
export async function loadTemplate(version: string, folder = OWN_TEMPLATES): Promise<Template> {
  const source = await readVersion(folder, version, "contract.txt");
  return parseTemplate(version, `${version}/contract.txt`, source);
}

/** The sample of a version. Throws TemplateError when it is not there, and ContractDataError when it is not whole. */
export async function loadSample(version: string, folder = OWN_TEMPLATES): Promise<ContractData> {
  const source = await readVersion(folder, version, "sample.json");
  try {
    return parseContractData(parseJson(source));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TemplateError([`${version}/sample.json: ${describeError(error)}`]);
  }
}

/** The versions of a folder, by name; none when the folder is not there. */
async function listVersions(folder: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function readVersion(folder: string, version: string, file: string): Promise<string> {
  if (!VERSION_FORM.test(version)) {
    throw new TemplateError([`"${version}" is no version; it must fit ${VERSION_FORM}`]);
  }
  try {
    const bytes = await Deno.readFile(`${folder}/${version}/${file}`);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw await explained(error, folder, version, file);
  }
}

async function explained(
  error: unknown,
  folder: string,
  version: string,
  file: string,
): Promise<unknown> {
  if (error instanceof TypeError) {
    return new TemplateError([`${version}/${file} is not UTF-8; save it in that encoding`]);
  }
  if (error instanceof Deno.errors.NotCapable) {
    return new PermanentError(
      `Cannot read the templates: the process may not; start it with --allow-read=${folder}`,
    );
  }
  if (!(error instanceof Deno.errors.NotFound)) return error;
  const versions = await listVersions(folder);
  const hint = versions.includes(version)
    ? "add the file"
    : nameHint(version, versions, "versions");
  return new TemplateError([`${version}/${file} is not there; ${hint}`]);
}
