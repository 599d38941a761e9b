/**
 * A fake amoCRM on 127.0.0.1: an account with its API, its tokens and its webhooks, and whatever goes wrong with them on demand.
 *
 * Its shapes are those of amocrm.ru and kommo.com, which are the same. `/_fake` is for the demo, which is another process.
 * @module
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { answerApi } from "./api.ts";
import { answerControl } from "./control.ts";
import { createCrm, type Crm, INTEGRATION } from "./crm.ts";
import { createFaults, type Faults, refusalOf } from "./faults.ts";
import { createHooks, type Hooks } from "./hooks.ts";
import { createRate, type Rate } from "./rate.ts";
import { page, problem, type Reply } from "./reply.ts";
import type { ApiSwitches } from "./route.ts";
import { createTokens, type Tokens } from "./tokens.ts";

/** What the fake starts with. */
export interface AmocrmOptions {
  /** 0, any free port, when absent. */
  readonly port?: number;
  /** The first id that is given out; the same at each start when absent. */
  readonly firstId?: number;
  readonly account?: { readonly id: number; readonly subdomain: string };
  readonly client?: { readonly id: string; readonly secret: string; readonly redirectUri: string };
  /** What every pause of webhooks and every block is multiplied by; 1 is the truth, and is used when absent. */
  readonly timeScale?: number;
  /** How long a webhook's answer may take; 2,000 when absent, as in truth. */
  readonly hookAnswerMs?: number;
  /** Calls taken in any second; 7 when absent. */
  readonly perSecond?: number;
  /** Calls too many within ten seconds until all are blocked; 10 when absent. */
  readonly strikes?: number;
  /** Seconds since 1970; the clock of the machine when absent. */
  now?(): number;
  /** Milliseconds, by which calls are counted; a clock that does not jump when absent. */
  clock?(): number;
}

/** What the fake was asked for and what it was made to create. */
export interface Counts {
  /** Calls of the API, refused ones too. */
  readonly calls: number;
  /** The most of them within any second. */
  readonly highestRate: number;
  readonly byStatus: Readonly<Record<number, number>>;
  /** What was created through the API, also when the answer was lost; not what users of the account made. */
  readonly created: { readonly leads: number; readonly notes: number; readonly tasks: number };
  readonly tokenRefreshes: number;
  /** Refresh tokens that were used a second time. */
  readonly tokenReuses: number;
  /** Tries to deliver a webhook, and those that were not answered well. */
  readonly hookAttempts: number;
  readonly badHookAttempts: number;
}

/** A running fake. Dispose of it to close its port, its connections and its timers. */
export interface Amocrm extends AsyncDisposable {
  /** What stands for `https://<subdomain>.amocrm.ru`. */
  readonly url: URL;
  readonly account: { readonly id: number; readonly subdomain: string };
  readonly client: { readonly id: string; readonly secret: string; readonly redirectUri: string };
  /** What users do in the account, and what is in it. */
  readonly crm: Crm;
  readonly hooks: Hooks;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly switches: ApiSwitches;
  /** Blocks every call with a page, for so many real seconds; what the real one does for five minutes or more. */
  block(seconds: number): void;
  counts(): Counts;
}

/** The account, unless another one is given. */
export const ACCOUNT = { id: 31_700_412, subdomain: "hw-sample" };
const CLIENT = {
  id: "fake-client-id",
  secret: "fake-client-secret",
  redirectUri: "https://hooks.example/amocrm",
};
const BLOCK_MS = 300_000;

/** Starts the fake with an empty account. */
export async function startAmocrm(options: AmocrmOptions = {}): Promise<Amocrm> {
  const { account = ACCOUNT, client = CLIENT, timeScale = 1 } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const hooks = createHooks({ account, now, timeScale, answerMs: options.hookAnswerMs ?? 2000 });
  const crm = createCrm({
    account: account.id,
    firstId: options.firstId,
    now,
    emit: hooks.emit,
  });
  const { id: clientId, secret: clientSecret, redirectUri } = client;
  const tokens = createTokens({ account, now, clientId, clientSecret, redirectUri });
  const faults = createFaults();
  const rate = createRate({
    perSecond: options.perSecond ?? 7,
    strikes: options.strikes ?? 10,
    blockMs: BLOCK_MS * timeScale,
    clock: options.clock ?? (() => performance.now()),
  });
  const switches: ApiSwitches = {
    ignoredFilters: new Set(),
    missing: 204,
    journalDelaySeconds: 0,
    subscribingEnables: false,
  };
  const backend = {
    subdomain: account.subdomain,
    driveUrl: "https://drive-b.amocrm.ru",
    crm,
    hooks,
    switches,
    now,
  };
  const byStatus: Record<number, number> = {};
  let calls = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const method = request.method ?? "GET";
    const body = await readJson(request).catch(() => undefined);
    if (url.pathname.startsWith("/_fake")) {
      return send(response, answerControl(method, url, body, fake));
    }
    const isApi = url.pathname.startsWith("/api/");
    if (isApi) calls++;
    const refusal = isApi ? refuseByRate(rate) : undefined;
    const failure = refusal ? undefined : faults.take(method, url.pathname);
    const reply = refusal ?? refusalOf(failure) ?? carryOut(method, url, body, request);
    byStatus[reply.status] = (byStatus[reply.status] ?? 0) + 1;
    if (failure !== undefined && "lost" in failure) return void response.destroy();
    if (failure !== undefined && "hold" in failure) await failure.hold.pass();
    const delayMs = failure !== undefined && "delayMs" in failure ? failure.delayMs : 0;
    later(response, delayMs, () => send(response, reply));
  }

  function carryOut(method: string, url: URL, body: unknown, request: IncomingMessage): Reply {
    if (method === "POST" && url.pathname === "/oauth2/access_token") return tokens.grant(body);
    const rights = tokens.rightsOf(request.headers.authorization);
    if (!rights) return problem(401, "The token is not valid");
    return answerApi(method, { url, body, rights }, backend);
  }

  const server = createServer((request, response) =>
    // What the fake was told makes no sense: it says so, and goes on.
    answer(request, response).catch((error) => send(response, page(500, `${error}`)))
  );
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const fake: Amocrm = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    account,
    client,
    crm,
    hooks,
    tokens,
    faults,
    switches,
    block: (seconds) => rate.block(seconds * 1000),
    counts: () => ({
      calls,
      highestRate: rate.highest,
      byStatus: { ...byStatus },
      created: {
        leads: createdByApi([...crm.leads.values()]),
        notes: createdByApi(crm.notes),
        tasks: createdByApi(crm.tasks),
      },
      tokenRefreshes: tokens.refreshes,
      tokenReuses: tokens.reuses,
      hookAttempts: hooks.attempts.length,
      badHookAttempts: hooks.attempts.filter(({ isGood }) => !isGood).length,
    }),
    async [Symbol.asyncDispose]() {
      await hooks[Symbol.asyncDispose]();
      await new Promise<void>((resolve, reject) => {
        server.close((error) => error ? reject(error) : resolve());
        server.closeAllConnections();
      });
    },
  };
  return fake;
}

function createdByApi(entities: readonly { readonly created_by: number }[]): number {
  return entities.filter(({ created_by }) => created_by === INTEGRATION).length;
}

function refuseByRate(rate: Rate): Reply | undefined {
  switch (rate.admit()) {
    case "taken":
      return undefined;
    case "too_many":
      return page(429, "Too Many Requests");
    case "blocked":
      return page(403, "Forbidden");
  }
}

function send(response: ServerResponse, reply: Reply): void {
  const text = reply.page ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
  response.writeHead(reply.status, { "x-request-id": randomUUID(), ...reply.headers }).end(text);
}

function later(response: ServerResponse, delayMs: number, act: () => void): void {
  if (delayMs === 0) return act();
  const timer = setTimeout(act, delayMs);
  response.once("close", () => clearTimeout(timer));
}
