/**
 * A contract as blocks of text, ready to be set: the same whatever prints it.
 * @module
 */

/** A piece of text in one style. */
export interface Run {
  readonly text: string;
  readonly bold: boolean;
}

/** What a footer may hold besides text: the number of the page, and how many there are. */
export type PageField = "number" | "count";
/** A piece of a footer. */
export type FooterRun = Run | { readonly page: PageField; readonly bold: boolean };

/** A row of the table of items, as it is printed. */
export interface ItemRow {
  readonly name: string;
  readonly quantity: string;
  readonly unit: string;
  readonly price: string;
  readonly amount: string;
}

/** A line under the table of items. */
export interface TotalRow {
  readonly label: string;
  readonly amount: string;
}

/** Requisites and a place to sign for one party. */
export interface SignatureSide {
  /** What the contract calls the party: `Поставщик`. */
  readonly role: string;
  readonly name: string;
  readonly lines: readonly string[];
  readonly position: string;
  readonly signatory: string;
}

/** One block, from the top of the contract down. */
export type Block =
  | { readonly kind: "title" | "paragraph"; readonly runs: readonly Run[] }
  | { readonly kind: "heading"; readonly number: string; readonly runs: readonly Run[] }
  | {
    readonly kind: "clause";
    readonly number: string;
    /** 1 for a clause, 2 for a clause in a clause. */
    readonly depth: 1 | 2;
    readonly runs: readonly Run[];
  }
  | { readonly kind: "sides"; readonly left: readonly Run[]; readonly right: readonly Run[] }
  | {
    readonly kind: "items";
    readonly rows: readonly ItemRow[];
    readonly totals: readonly TotalRow[];
  }
  | { readonly kind: "signatures"; readonly sides: readonly [SignatureSide, SignatureSide] }
  | { readonly kind: "pageBreak" };

/** A contract without any placeholder left. Plain data: it can be sent to a thread. */
export interface ContractDocument {
  /** For the properties of the file. */
  readonly title: string;
  /** The date of the contract, `2026-12-01`: also that of the file, so that the same contract gives the same bytes. */
  readonly date: string;
  readonly blocks: readonly Block[];
  readonly footer: { readonly left: readonly FooterRun[]; readonly right: readonly FooterRun[] };
}
