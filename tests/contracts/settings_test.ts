import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { loadSettings } from "../../lib/base/config.ts";
import { ConfigError, PermanentError } from "../../lib/base/errors.ts";
import { pdfRenderer } from "../../lib/contracts/pdf_renderer.ts";
import {
  contractSettings,
  rendererOf,
  storageOf,
  templatesOf,
  vatPercentOf,
} from "../../lib/contracts/settings.ts";
import { OWN_TEMPLATES } from "../../lib/contracts/templates.ts";
import { startS3 } from "./s3_server.ts";
import { outsideOf } from "./support.ts";

const load = (environment: Record<string, string> = {}) =>
  loadSettings(environment, contractSettings);

Deno.test("Nothing of contracts has to be set where no contracts are made", () => {
  const settings = load();
  assertEquals(settings.CONTRACT_NUMBER_FORMAT.text, "{YYYY}-{0000}");
  assertEquals(settings.CONTRACT_TIME_ZONE, "Europe/Moscow");
  assertEquals(templatesOf(settings), OWN_TEMPLATES);
  assertEquals(rendererOf(settings, outsideOf()), pdfRenderer);
  assertEquals(vatPercentOf(settings), null);
  assertEquals(vatPercentOf(load({ CONTRACT_VAT_PERCENT: "22" })), 22);
});

Deno.test("A form of numbers that could give two contracts one number stops the start", () => {
  const error = assertThrows(() => load({ CONTRACT_NUMBER_FORMAT: "{YYYY}" }), ConfigError);
  assertEquals(error.problems.length, 1);
  assert(error.problems[0]!.startsWith("CONTRACT_NUMBER_FORMAT needs a counter such as {0000}"));
});

Deno.test("A store of which a part is not set is told by the variable that is missing", () => {
  const settings = load({ CONTRACT_S3_BUCKET: "b", CONTRACT_S3_ENDPOINT: "https://example.com" });
  assertThrows(
    () => storageOf(settings, outsideOf()),
    PermanentError,
    "CONTRACT_S3_BUCKET is set and CONTRACT_S3_ACCESS_KEY is not",
  );
});

Deno.test("Contracts go into the bucket where one is set, else into the folder", async () => {
  await using s3 = startS3();
  const { endpoint, region, bucket, accessKey, secretKey } = s3.store;
  const inBucket = storageOf(
    load({
      CONTRACT_S3_BUCKET: bucket,
      CONTRACT_S3_ENDPOINT: `${endpoint}/`,
      CONTRACT_S3_REGION: region,
      CONTRACT_S3_ACCESS_KEY: accessKey,
      CONTRACT_S3_SECRET_KEY: secretKey,
    }),
    outsideOf(),
  );
  await inBucket.put("a.pdf", Uint8Array.of(1));
  assertEquals([...s3.objects.keys()], ["a.pdf"]);
  const folder = await Deno.makeTempDir();
  const { path } = await storageOf(load({ CONTRACT_DIR: folder }), outsideOf())
    .put("a.pdf", Uint8Array.of(1));
  assertEquals(path, `${folder}/a.pdf`);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("A print service that is set is used in place of pdfmake", async () => {
  const renderer = rendererOf(load({ CONTRACT_PRINT_URL: "http://127.0.0.1:1/pdf" }), outsideOf());
  const document = { title: "", date: "", blocks: [], footer: { left: [], right: [] } };
  await assertRejects(
    () => renderer.render(document, new AbortController().signal),
    Error,
    "Cannot print the contract",
  );
});

Deno.test("The secrets among the settings of contracts are kept out of logs", () => {
  const secrets = Object.entries(contractSettings).filter(([_, { secret }]) => secret);
  assertEquals(secrets.map(([name]) => name), ["CONTRACT_PRINT_URL", "CONTRACT_S3_SECRET_KEY"]);
});
