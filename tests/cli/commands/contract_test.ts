import { assertEquals, assertStringIncludes } from "@std/assert";
import { serveHttp } from "../../outside/servers.ts";
import { cli } from "../support.ts";

const SAMPLE = new URL("../../../templates/contract/v1/sample.json", import.meta.url);
const PREVIEW = ["contract", "preview", "--template", "v1"];

async function tempFolder() {
  const path = await Deno.makeTempDir({ prefix: "hookwork-preview-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("contract preview prints the sample into a file, without a database or any setting", async () => {
  await using temp = await tempFolder();
  const out = `${temp.path}/sample.pdf`;
  const { exitCode, output, errors } = await cli({}, [...PREVIEW, "--sample", "--out", out]);
  assertEquals([exitCode, errors], [0, ""]);
  const pdf = await Deno.readFile(out);
  assertEquals(output, `${out} has ${pdf.length} bytes. Look at it in a PDF viewer.\n`);
  assertEquals(new TextDecoder("latin1").decode(pdf.subarray(0, 5)), "%PDF-");
});

Deno.test("contract preview writes the bare PDF to a pipe, and never to a terminal", async () => {
  const { exitCode, output } = await cli({}, [...PREVIEW, "--sample"]);
  assertEquals([exitCode, output.slice(0, 5), output.trimEnd().slice(-5)], [0, "%PDF-", "%%EOF"]);
  const onTerminal = await cli({}, [...PREVIEW, "--sample"], { columns: 80 });
  assertEquals([onTerminal.exitCode, onTerminal.output], [2, ""]);
  assertStringIncludes(onTerminal.errors, "give --out <file>, or a pipe");
});

Deno.test("contract preview goes to the print service where one is set, as a deal would", async () => {
  const pdf = "%PDF-1.7\nprinted elsewhere\n%%EOF\n";
  await using server = serveHttp(() => new Response(pdf));
  const given = { CONTRACT_PRINT_URL: server.url.href };
  assertEquals((await cli(given, [...PREVIEW, "--sample"])).output, pdf);
});

Deno.test("contract preview names every field that is missing in the given data", async () => {
  await using temp = await tempFolder();
  const { buyer, ...rest } = JSON.parse(await Deno.readTextFile(SAMPLE));
  const data = `${temp.path}/data.json`;
  await Deno.writeTextFile(data, JSON.stringify({ ...rest, buyer: { ...buyer, inn: "" } }));
  const { exitCode, output, errors } = await cli({}, [...PREVIEW, "--data", data]);
  assertEquals([exitCode, output], [1, ""]);
  assertStringIncludes(errors, "Cannot make the contract: buyer.inn must have 10 or 12 digits");
});

Deno.test("contract preview tells a mistake of a template with its file and line", async () => {
  await using temp = await tempFolder();
  await Deno.mkdir(`${temp.path}/draft`);
  await Deno.writeTextFile(
    `${temp.path}/draft/contract.txt`,
    "# Договор\n\n{{номр}}\n\n[[подписи]] Поставщик || Покупатель\n",
  );
  const args = ["contract", "preview", "--template", "draft", "--sample"];
  const { exitCode, errors } = await cli({ CONTRACT_TEMPLATES: temp.path }, args);
  assertEquals(exitCode, 1);
  assertStringIncludes(errors, "draft/contract.txt:3: {{номр}} is no placeholder; did you mean");
});

Deno.test("contract preview explains what cannot be read or written", async () => {
  await using temp = await tempFolder();
  const notJson = `${temp.path}/data.json`;
  await Deno.writeTextFile(notJson, "{");
  const cases: [args: string[], message: string][] = [
    [["--data", `${temp.path}/nothing.json`], "there is no such file or folder"],
    [["--data", temp.path], "it is a folder; name a file"],
    [["--data", notJson], "it is not JSON"],
    [["--sample", "--out", `${temp.path}/no/such/file.pdf`], "there is no such file or folder"],
  ];
  for (const [args, message] of cases) {
    const { exitCode, errors } = await cli({}, [...PREVIEW, ...args]);
    assertEquals(exitCode, 1, errors);
    assertStringIncludes(errors, message);
  }
});

Deno.test("contract preview asks for a template and for data", async () => {
  const noData = await cli({}, PREVIEW);
  assertEquals(noData.exitCode, 2);
  assertStringIncludes(noData.errors, "give --sample, or --data <file>");
  assertEquals((await cli({}, ["contract", "preview", "--sample"])).exitCode, 2);
});
