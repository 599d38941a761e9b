/**
 * `hookwork contract preview`: a contract as a deal would get it, for whoever edits templates.
 * @module
 */
import { loadSettings } from "../../base/config.ts";
import { RefusedError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import { parseContractData } from "../../contracts/data.ts";
import { type Pdf, renderContract } from "../../contracts/renderer.ts";
import { contractSettings, rendererOf, templatesOf } from "../../contracts/settings.ts";
import { sha256 } from "../../contracts/storage.ts";
import { loadSample, loadTemplate } from "../../contracts/templates.ts";
import type { Host } from "../host.ts";
import { openOutside } from "../open.ts";

const { CONTRACT_TEMPLATES, CONTRACT_PRINT_URL, CONTRACT_PRINT_SECONDS } = contractSettings;
/** All that a preview needs: no database, and no seller, who stands in the sample. */
const settings = { CONTRACT_TEMPLATES, CONTRACT_PRINT_URL, CONTRACT_PRINT_SECONDS };

/** Which contract to print. */
export interface PreviewOptions {
  readonly template: string;
  /** A JSON file of the form of `sample.json`; the sample of the template when absent. */
  readonly data?: string;
}

/** A contract that was written to a file. */
export interface Preview {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Prints a contract in the way that the settings name: here, or by the print service.
 * Throws TemplateError and ContractDataError for what has to be mended in template and data.
 */
export async function preview(host: Host, { template, data }: PreviewOptions): Promise<Pdf> {
  const config = loadSettings(host.environment, settings);
  const folder = templatesOf(config);
  const parsed = await loadTemplate(template, folder);
  const contract = data === undefined
    ? await loadSample(template, folder)
    : parseContractData(await readJson(data));
  const renderer = rendererOf(config, openOutside());
  return await renderContract(parsed, contract, renderer, new AbortController().signal);
}

/** Writes a PDF to a file. Throws RefusedError where that cannot be done. */
export async function savePreview(file: string, pdf: Pdf): Promise<Preview> {
  try {
    await Deno.writeFile(file, pdf);
  } catch (error) {
    throw fileRefusal("write", file, error);
  }
  return { file, bytes: pdf.length, sha256: await sha256(pdf) };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return parseJson(await Deno.readTextFile(file));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw fileRefusal("read", file, error);
    throw new RefusedError(`Cannot read ${file}: it is not JSON (${error.message}); mend it`);
  }
}

const REASONS = [
  [Deno.errors.NotFound, "there is no such file or folder; name one that is there"],
  [Deno.errors.IsADirectory, "it is a folder; name a file"],
  [Deno.errors.NotCapable, "this process may not; start it with --allow-read and --allow-write"],
  [Deno.errors.PermissionDenied, "you may not; name another"],
] as const;

function fileRefusal(what: string, file: string, error: unknown): unknown {
  const reason = REASONS.find(([type]) => error instanceof type)?.[1];
  return reason === undefined ? error : new RefusedError(`Cannot ${what} ${file}: ${reason}`);
}

/** Where it is, and how large. */
export function renderPreview({ file, bytes }: Preview): string {
  return `${file} has ${bytes} bytes. Look at it in a PDF viewer.`;
}
