import { assert, assertEquals } from "@std/assert";
import { coreSettings, loadConfig } from "../../lib/base/config.ts";
import { environmentExample } from "../../lib/base/environment_example.ts";
import { secrets, text, url } from "../../lib/base/settings.ts";

const siteSettings = { SITE_WEBHOOK_SECRET: secrets("Signs the site's requests.") };

Deno.test("environmentExample() shows every variable once, with its purpose and value", () => {
  const shared = { API_URL: url("Where the API is.", { default: "https://api.example.org" }) };
  const example = environmentExample([
    { title: "Core", settings: coreSettings },
    { title: "Site", settings: { ...siteSettings, ...shared } },
    { title: "Other", settings: shared },
  ]);
  assert(
    example.includes("# --- Site ---\n\n# Signs the site's requests.\nSITE_WEBHOOK_SECRET=\n"),
  );
  assert(example.includes("\nAPI_URL=https://api.example.org\n"));
  assertEquals(example.match(/^API_URL=/gm)?.length, 1);
});

Deno.test("environmentExample() of the core can be loaded as it stands", () => {
  const lines = environmentExample([{ title: "Core", settings: coreSettings }])
    .split("\n").filter((line) => line.includes("=") && !line.startsWith("#"));
  const environment = Object.fromEntries(lines.map((line) => {
    const [name, ...value] = line.split("=");
    return [name, value.join("=")];
  }));
  assertEquals(Object.keys(loadConfig(environment)), Object.keys(coreSettings));
});

Deno.test("environmentExample() comments out what is only used with its switch, after all that always is", () => {
  const port = text("The port.", { default: "8000" });
  const example = environmentExample([
    { title: "Crm", settings: { CRM: port }, onlyWith: "CRM" },
    { title: "Core", settings: { PORT: port } },
  ]);
  assertEquals(example.split("\n").filter((line) => /---|=/.test(line)), [
    "# --- Core ---",
    "PORT=8000",
    "# --- Crm, only with CRM ---",
    "#CRM=8000",
  ]);
});
