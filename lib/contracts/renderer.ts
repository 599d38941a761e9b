/**
 * Turns a contract into a PDF, here or by a print service.
 * @module
 */
import { compose } from "./compose.ts";
import type { ContractData } from "./data.ts";
import type { ContractDocument } from "./document.ts";
import type { Template } from "./template.ts";

/** The bytes of a PDF. */
export type Pdf = Uint8Array<ArrayBuffer>;

/** Prints documents. Two implementations: `pdf_renderer.ts` and `print_service.ts`. */
export interface ContractRenderer {
  /** The PDF of a document; ends with the signal's reason when that is aborted. */
  render(document: ContractDocument, signal: AbortSignal): Promise<Pdf>;
}

/** Composes a contract and prints it. Throws ContractDataError for a placeholder without a value, and what the renderer throws. */
export async function renderContract(
  template: Template,
  data: ContractData,
  renderer: ContractRenderer,
  signal: AbortSignal,
): Promise<Pdf> {
  return await renderer.render(compose(template, data), signal);
}
