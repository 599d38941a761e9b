/**
 * Shows an outside monitor that schedules and jobs still run: it raises the alarm when nothing comes.
 * @module
 */
import { z } from "zod";
import { defineHandler } from "../define.ts";
import { optionalUrl } from "../base/settings.ts";
import { check } from "../outside/check.ts";
import { call } from "../outside/http.ts";

/** `heartbeat`: logs its slot, then calls HEARTBEAT_URL with GET when that is set. */
export const heartbeat = defineHandler({
  kind: "heartbeat",
  payload: z.object({ slot: z.string(), late: z.boolean() }),
  settings: {
    HEARTBEAT_URL: optionalUrl("Called each hour, so that a monitor can tell when it stops.", {
      secret: true,
    }),
  },
  async run({ slot, late }, { settings, signal, shadow, log }) {
    log.info("Heartbeat", { slot, late });
    if (settings.HEARTBEAT_URL === undefined) return;
    const what = "report the heartbeat";
    const url = new URL(settings.HEARTBEAT_URL);
    check(await call({ what, url, signal, shadow }), what);
  },
});
