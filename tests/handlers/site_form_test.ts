import { assert, assertEquals } from "@std/assert";
import { siteForm } from "../../lib/handlers/site_form.ts";
import { fits, run } from "./support.ts";
import { keptLog } from "../outside/support.ts";

Deno.test("site.form logs the event and the names of the fields, but no personal data", async () => {
  const log = keptLog();
  await run(siteForm, { form: { name: "Private", phone: "+1 555 0100" } }, { log });
  const line = log.lines.join();
  assert(line.includes('"eventId":"1","fields":["name","phone"],"fieldCount":2'), line);
  assert(!line.includes("Private") && !line.includes("555"), line);
});

Deno.test("site.form logs a line of bearable length for a form of a thousand fields", async () => {
  const log = keptLog();
  const names = Array.from({ length: 1000 }, (_, index) => `field${index}`);
  await run(siteForm, { form: Object.fromEntries(names.map((name) => [name, ""])) }, { log });
  const line = log.lines.join();
  assert(line.length < 1_000, line);
  assert(line.includes('"fieldCount":1000'), line);
});

Deno.test("site.form takes any fields, but nothing that is no form", () => {
  assertEquals(fits(siteForm, { form: { a: { b: [1, null] } } }), true);
  assertEquals(fits(siteForm, { form: {} }), true);
  for (const payload of [{}, { form: [] }, { form: "text" }, { form: null }]) {
    assertEquals(fits(siteForm, payload), false);
  }
});
