/**
 * Writes a webhook's body as amoCRM does: PHP's nested keys with their brackets percent-encoded.
 * @module
 */

/** What a body is made of. Numbers become texts; what is undefined is left out. */
export type FormTree = string | number | undefined | readonly FormTree[] | {
  readonly [name: string]: FormTree;
};

/** The body, with its parts in the order given. */
export function encodeForm(form: { readonly [name: string]: FormTree }): string {
  const pairs = new URLSearchParams();
  for (const [name, part] of Object.entries(form)) append(pairs, name, part);
  return pairs.toString();
}

function append(pairs: URLSearchParams, key: string, part: FormTree): void {
  if (part === undefined) return;
  if (typeof part !== "object") return pairs.append(key, `${part}`);
  for (const [name, child] of Object.entries(part)) append(pairs, `${key}[${name}]`, child);
}
