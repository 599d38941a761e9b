/**
 * Stored JSON that passes through unchanged.
 * @module
 */

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
// TypeScript does not know these parts of JSON yet.
const exact = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
};

/** JSON text: for people the text as stored, inside other JSON its value with every digit of its numbers. */
export class JsonText {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return exact.parse(
      this.text,
      (_, value, { source }) => typeof value === "number" ? exact.rawJSON(source!) : value,
    );
  }

  toString(): string {
    return this.text;
  }
}
