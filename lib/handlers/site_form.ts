/**
 * A form of the site came in. The place to start a business's own work from.
 * @module
 */
import { z } from "zod";
import { defineHandler } from "../define.ts";

// A form may have thousands of fields; one line of log may not.
const LOGGED_FIELDS = 50;

/** `site.form`: logs the names of the fields. Their values are personal data, and stay in the event. */
export const siteForm = defineHandler({
  kind: "site.form",
  payload: z.object({ form: z.record(z.string(), z.unknown()) }),
  run({ form }, { job, log }) {
    const fields = Object.keys(form);
    log.info("A form of the site came in", {
      eventId: job.eventId,
      fields: fields.slice(0, LOGGED_FIELDS),
      fieldCount: fields.length,
    });
    return Promise.resolve();
  },
});
