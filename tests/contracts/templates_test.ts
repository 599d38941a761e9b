import { assertEquals, assertRejects } from "@std/assert";
import { compose } from "../../lib/contracts/compose.ts";
import { ContractDataError } from "../../lib/contracts/data.ts";
import { TemplateError } from "../../lib/contracts/template.ts";
import { loadSample, loadTemplate, OWN_TEMPLATES } from "../../lib/contracts/templates.ts";

const CP1251 = Uint8Array.of(0x23, 0x20, 0xc4, 0xee, 0xe3);

async function folder(files: Record<string, string | Uint8Array>) {
  const path = await Deno.makeTempDir({ prefix: "hookwork-templates-" });
  for (const [name, content] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${name.split("/")[0]}`, { recursive: true });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(`${path}/${name}`, bytes);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("Every version that comes with the program can be printed with its sample", async () => {
  for await (const { name, isDirectory } of Deno.readDir(OWN_TEMPLATES)) {
    if (isDirectory) compose(await loadTemplate(name), await loadSample(name));
  }
});

Deno.test("A version that is not there is told with the one that was meant", async () => {
  await assertRejects(() => loadTemplate("v11"), TemplateError, "did you mean v1?");
});

Deno.test("A version never leads out of the folder of templates", async () => {
  for (const version of ["../v1", "v1/..", "", "/etc"]) {
    await assertRejects(() => loadTemplate(version), TemplateError, "is no version");
  }
});

Deno.test("A template that was saved in Windows-1251 is not printed as rubbish", async () => {
  await using own = await folder({ "v1/contract.txt": CP1251 });
  await assertRejects(() => loadTemplate("v1", own.path), TemplateError, "is not UTF-8");
});

Deno.test("A version without a sample says which file to add", async () => {
  await using own = await folder({ "v1/contract.txt": "# а\n[[подписи]] б || в" });
  assertEquals((await loadTemplate("v1", own.path)).blocks.length, 2);
  await assertRejects(
    () => loadSample("v1", own.path),
    TemplateError,
    "v1/sample.json is not there; add the file",
  );
});

Deno.test("A sample that is no JSON, or not whole, is told as such", async () => {
  await using own = await folder({ "v1/sample.json": "{", "v2/sample.json": "{}" });
  await assertRejects(() => loadSample("v1", own.path), TemplateError, "v1/sample.json: ");
  await assertRejects(() => loadSample("v2", own.path), ContractDataError, "number is missing");
});
