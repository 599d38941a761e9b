/** The effect of creating a thing in the world of the tests, as a real client would do it. */

import * as z from "zod";
import type { ClientContext, Effect } from "../../lib/contract.ts";
import { check } from "../../lib/outside/check.ts";
import { call } from "../../lib/outside/http.ts";

const answer = z.object({ id: z.string() });

/** Creates the thing of this address, or finds it. */
export function thing(
  url: URL,
  { shadow }: Pick<ClientContext, "shadow">,
  options: Partial<Effect> = {},
): Effect & Required<Pick<Effect, "find">> {
  return {
    async find({ signal }) {
      const said = await call({ what: "look for a thing", url, signal, shadow });
      return said.status === 404
        ? undefined
        : answer.parse(check(said, "look for a thing").json()).id;
    },
    async run({ signal }) {
      const what = "create a thing";
      const said = await call({ what, url, method: "POST", signal, shadow });
      return answer.parse(check(said, what).json()).id;
    },
    ...options,
  };
}
