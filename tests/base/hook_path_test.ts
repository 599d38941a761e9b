import { assertEquals } from "@std/assert";
import { hookPath, shownPath } from "../../lib/base/hook_path.ts";

Deno.test("hookPath() stands below an address with a path of its own", () => {
  assertEquals(hookPath("site"), "hooks/site");
  assertEquals(hookPath("amocrm", "abc"), "hooks/amocrm/abc");
});

Deno.test("shownPath() hides all that follows a source's name, however oddly it was written", () => {
  for (
    const [path, shown] of [
      ["/hooks/amocrm/abc", "/hooks/amocrm/***"],
      ["/hooks/amocrm/abc/", "/hooks/amocrm/***"],
      ["/hooks/amocrm/abc/more", "/hooks/amocrm/***"],
      ["/hooks/amocrm//abc", "/hooks/amocrm//***"],
      ["/hooks//amocrm/abc", "/hooks//amocrm/***"],
      ["/HOOKS/amocrm/abc", "/HOOKS/amocrm/***"],
      ["/behind/a/proxy/hooks/amocrm/abc", "/behind/a/proxy/hooks/amocrm/***"],
      ["/hooks/amocrm/***", "/hooks/amocrm/***"],
    ] as const
  ) assertEquals(shownPath(path), shown);
});

Deno.test("shownPath() leaves a path without a secret as it is", () => {
  for (const path of ["/hooks/site", "/hooks/site/", "/hooks/", "/ready", ""]) {
    assertEquals(shownPath(path), path);
  }
});
