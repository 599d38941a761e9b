/**
 * What contracts need of the environment, and what is made of it.
 * @module
 */
import { z } from "zod";
import type { Outside } from "../base/outside.ts";
import { s3StoreOf } from "../base/s3.ts";
import { integer, optionalText, optionalUrl, text, timeZone } from "../base/settings.ts";
import type { Setting, SettingValues } from "../setting.ts";
import { createDirectoryStorage } from "./directory_storage.ts";
import { type NumberFormat, parseNumberFormat } from "./numbers.ts";
import { pdfRenderer } from "./pdf_renderer.ts";
import { createPrintService } from "./print_service.ts";
import type { ContractRenderer } from "./renderer.ts";
import { createS3Storage } from "./s3_storage.ts";
import { sellerSettings } from "./seller.ts";
import type { DocumentStorage } from "./storage.ts";
import { OWN_TEMPLATES } from "./templates.ts";

/** Where finished contracts are kept. */
export const storageSettings = {
  CONTRACT_DIR: text("The folder of finished contracts, unless CONTRACT_S3_BUCKET is set.", {
    default: "documents",
  }),
  CONTRACT_S3_BUCKET: optionalText("The S3 bucket of finished contracts."),
  CONTRACT_S3_ENDPOINT: optionalUrl("The address of the S3 store, without the bucket."),
  CONTRACT_S3_REGION: text("The region of the S3 store.", { default: "us-east-1" }),
  CONTRACT_S3_ACCESS_KEY: optionalText("The name of the key of the S3 store."),
  CONTRACT_S3_SECRET_KEY: {
    ...optionalText("The secret half of the key of the S3 store."),
    secret: true,
  },
};

/** The settings of contracts, to be declared by the handler that makes them. */
export const contractSettings = {
  CONTRACT_TEMPLATES: optionalText("A folder of templates to use instead of those of the program."),
  CONTRACT_NUMBER_FORMAT: numberFormat(
    "The form of contract numbers, of {YYYY} {YY} {MM} {DD} {lead} and a counter such as {0000}.",
    "{YYYY}-{0000}",
  ),
  CONTRACT_TIME_ZONE: timeZone("The time zone of the dates in contracts.", {
    default: "Europe/Moscow",
  }),
  CONTRACT_CITY: optionalText("The city in the head of contracts."),
  CONTRACT_VAT_PERCENT: integer("The VAT contained in prices; 0 when no VAT is paid.", {
    default: 0,
    min: 0,
    max: 99,
  }),
  ...sellerSettings,
  CONTRACT_PRINT_URL: optionalUrl(
    "A print service that takes HTML by POST and answers with a PDF; by pdfmake when not set.",
    { secret: true },
  ),
  CONTRACT_PRINT_SECONDS: integer("How long the print service may take.", {
    default: 60,
    min: 1,
    max: 600,
  }),
  ...storageSettings,
};

/** The values of the settings of contracts. */
export type ContractSettings = SettingValues<typeof contractSettings>;

/** The VAT of contracts, as their data states it. */
export function vatPercentOf({ CONTRACT_VAT_PERCENT }: ContractSettings): number | null {
  return CONTRACT_VAT_PERCENT || null;
}

/** The folder of templates, for `loadTemplate`. */
export function templatesOf(settings: Pick<ContractSettings, "CONTRACT_TEMPLATES">): string {
  return settings.CONTRACT_TEMPLATES ?? OWN_TEMPLATES;
}

/** What prints contracts: the print service if one is set, else pdfmake. */
export function rendererOf(
  settings: Pick<ContractSettings, "CONTRACT_PRINT_URL" | "CONTRACT_PRINT_SECONDS">,
  outside: Outside,
): ContractRenderer {
  const { CONTRACT_PRINT_URL: url, CONTRACT_PRINT_SECONDS: deadlineSeconds } = settings;
  return url === undefined ? pdfRenderer : createPrintService({ url, deadlineSeconds }, outside);
}

/** What the storage of contracts follows from. */
export type StorageSettings = SettingValues<typeof storageSettings>;

/** What keeps contracts: the S3 store if a bucket is set, else the folder. Throws PermanentError when a part of the store is not set. */
export function storageOf(settings: StorageSettings, outside: Outside): DocumentStorage {
  const bucket = settings.CONTRACT_S3_BUCKET;
  if (bucket === undefined) return createDirectoryStorage(settings.CONTRACT_DIR);
  const store = s3StoreOf("CONTRACT", {
    bucket,
    endpoint: settings.CONTRACT_S3_ENDPOINT,
    region: settings.CONTRACT_S3_REGION,
    accessKey: settings.CONTRACT_S3_ACCESS_KEY,
    secretKey: settings.CONTRACT_S3_SECRET_KEY,
  });
  return createS3Storage(store, outside);
}

function numberFormat(about: string, standard: string): Setting<NumberFormat> {
  const written = text(about, { default: standard });
  const schema = written.schema.transform((value, context) => {
    const format = parseNumberFormat(value);
    if (typeof format !== "string") return format;
    context.addIssue(format);
    return z.NEVER;
  });
  return { ...written, schema };
}
