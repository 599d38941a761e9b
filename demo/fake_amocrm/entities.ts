/**
 * What the fake amoCRM holds, in the shapes of API v4: https://www.amocrm.ru/developers/content/crm_platform/leads-api
 * Times are seconds since 1970.
 * @module
 */

/** A custom field that is filled in. */
export interface FieldValue {
  readonly field_id: number;
  readonly field_name: string;
  readonly field_code: string | null;
  readonly field_type: string;
  readonly values: readonly {
    readonly value: unknown;
    readonly enum_id?: number;
    readonly enum_code?: string | null;
  }[];
}

interface Entity {
  readonly id: number;
  readonly name: string;
  readonly responsible_user_id: number;
  readonly created_by: number;
  readonly updated_by: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly is_deleted: boolean;
  /** Null, and never an empty list, when no field is filled in. */
  readonly custom_fields_values: readonly FieldValue[] | null;
}

/** An item of a catalog, as a deal refers to it. */
export interface DealItem {
  readonly id: number;
  readonly catalog_id: number;
  readonly quantity: number;
}

/** A deal, with what is embedded in it or only on demand. */
export interface Lead extends Entity {
  readonly price: number;
  readonly pipeline_id: number;
  readonly status_id: number;
  readonly closed_at: number | null;
  readonly tags: readonly { readonly id: number; readonly name: string }[];
  readonly companies: readonly { readonly id: number }[];
  readonly contacts: readonly { readonly id: number; readonly is_main: boolean }[];
  readonly items: readonly DealItem[];
}

/** A person. */
export interface Contact extends Entity {
  readonly first_name: string;
  readonly last_name: string;
  readonly companies: readonly { readonly id: number }[];
}

/** A company; its requisites are custom fields. */
export type Company = Entity;

/** An item of a catalog: its price is the custom field PRICE. */
export interface CatalogItem extends Entity {
  readonly catalog_id: number;
}

/** A note on a deal. */
export interface Note {
  readonly id: number;
  readonly entity_id: number;
  readonly created_by: number;
  readonly updated_by: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly responsible_user_id: number;
  readonly group_id: number;
  readonly note_type: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A task for a user, about a deal. */
export interface Task {
  readonly id: number;
  readonly created_by: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly responsible_user_id: number;
  readonly entity_id: number;
  readonly entity_type: string;
  readonly is_completed: boolean;
  readonly task_type_id: number;
  readonly text: string;
  readonly complete_till: number;
}

/** An entry of the journal of changes. */
export interface JournalEntry {
  readonly id: string;
  readonly type: string;
  readonly entity_id: number;
  readonly entity_type: string;
  readonly created_by: number;
  readonly created_at: number;
  readonly value_after: readonly unknown[];
  readonly value_before: readonly unknown[];
}
