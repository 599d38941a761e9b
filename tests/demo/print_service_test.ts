import { assertEquals, assertMatch } from "@std/assert";
import { createHold } from "../../demo/hold.ts";
import { startPrintService } from "../../demo/print_service.ts";
import { until } from "../support/until.ts";

Deno.test("The print service gives a page back between the marks of a PDF, and not before a hold lets it", async () => {
  await using printer = await startPrintService({ delayMs: 0 });
  const print = async (page: string) =>
    await (await fetch(printer.url, { method: "POST", body: page })).text();
  const hold = createHold();
  printer.holdPage("held", hold);
  let isPrinted = false;
  const held = print("held page").finally(() => isPrinted = true);
  await until("the page has come", () => hold.isReached);
  assertMatch(await print("another page"), /^%PDF-1\.7\nanother page\n%%EOF/);
  assertEquals(isPrinted, false);
  hold.release();
  assertMatch(await held, /held page/);
  assertMatch(await print("held page"), /held page/, "a second one is not held");
  assertEquals(printer.pages, ["held page", "another page", "held page"]);
});

Deno.test("The print service closes with a page that nobody will ever let on", async () => {
  const printer = await startPrintService({ delayMs: 60_000 });
  const hold = createHold();
  printer.holdPage("held", hold);
  const held = fetch(printer.url, { method: "POST", body: "held page" }).then(
    () => "answered",
    () => "cut off",
  );
  await until("the page has come", () => hold.isReached);
  await printer[Symbol.asyncDispose]();
  assertEquals(await held, "cut off");
});
