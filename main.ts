/**
 * The receiver: takes deliveries over HTTP.
 * @module
 */
import { runService } from "./lib/service.ts";
import { startReceiver } from "./lib/web/server.ts";

// The statement ends before the sender's patience does.
await runService(
  { args: Deno.args, environment: Deno.env.toObject() },
  { application: "hookwork-receiver", connections: 4, statementSeconds: 1.4 },
  startReceiver,
);
