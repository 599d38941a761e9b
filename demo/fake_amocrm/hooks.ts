/**
 * The webhooks of the fake amoCRM: subscriptions, deliveries, the ladder of repeats, and how one is switched off.
 * Source: https://www.amocrm.ru/developers/content/crm_platform/webhooks-format
 * @module
 */
import { encodeForm, type FormTree } from "./form.ts";

/** A destination and what it is told, in the form of the API. */
export interface Subscription {
  readonly id: number;
  readonly destination: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly account_id: number;
  readonly created_by: number;
  readonly sort: number;
  readonly disabled: boolean;
  readonly settings: readonly string[];
}

/** One try to deliver. */
export interface Attempt {
  readonly event: string;
  readonly destination: string;
  readonly body: string;
  /** From 1 to 5. */
  readonly number: number;
  /** What was answered; undefined when nothing was, or too late. */
  readonly status: number | undefined;
  /** 100 to 299: anything else counts against the destination. */
  readonly isGood: boolean;
  /** How long it took, answered or not. */
  readonly ms: number;
}

/** How deliveries are made. */
export interface HookOptions {
  readonly account: { readonly id: number; readonly subdomain: string };
  /** Seconds since 1970. */
  now(): number;
  /** How long the pauses and the two hours are, of what they are in truth: 0.001 makes five minutes 0.3 s. */
  readonly timeScale: number;
  /** How long an answer may take; 2 s in truth. */
  readonly answerMs: number;
}

/** What a test may turn while it runs. */
export interface HookSwitches {
  /** How many times each delivery is sent at once; 1 in peace. */
  copies: number;
  /** Whether changes send nothing, as if the service of webhooks were away. */
  lost: boolean;
}

/** All webhooks of the account. */
export interface Hooks extends AsyncDisposable {
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** All tries that have ended, in the order of their ends. */
  readonly attempts: readonly Attempt[];
  readonly switches: HookSwitches;
  subscribe(destination: string, settings: readonly string[], sort?: number): Subscription;
  /** Whether there was one. */
  unsubscribe(destination: string): boolean;
  /** What an administrator does by hand. */
  enable(destination: string): void;
  emit(event: string, entity: string, action: string, forms: readonly FormTree[]): void;
  /** Resolves when no try is under way; repeats that wait for their time are not waited for. */
  idle(): Promise<void>;
}

const MINUTES_MS = 60_000;
/** After the first and the second try; these come after every bad answer. */
const PAUSES_MS = [5 * MINUTES_MS, 15 * MINUTES_MS];
/** After the third and the fourth; only when the last answer was 499 or 5xx. */
const LATE_PAUSES_MS = [15 * MINUTES_MS, 60 * MINUTES_MS];
const BAD_WINDOW_MS = 120 * MINUTES_MS;
const MOST_BAD = 100;

/** No webhooks yet. */
export function createHooks({ account, now, timeScale, answerMs }: HookOptions): Hooks {
  const subscriptions = new Map<string, Subscription>();
  const attempts: Attempt[] = [];
  const badAnswers = new Map<string, number[]>();
  const underWay = new Set<Promise<void>>();
  const waiting = new Set<ReturnType<typeof setTimeout>>();
  const end = new AbortController();
  const switches = { copies: 1, lost: false };
  let lastId = 1_400_220;

  function change(destination: string, changes: Partial<Subscription>): void {
    const subscription = subscriptions.get(destination);
    if (subscription) subscriptions.set(destination, { ...subscription, ...changes });
  }

  function start(event: string, destination: string, body: string, number = 1): void {
    const flight = deliver(event, destination, body, number)
      .finally(() => underWay.delete(flight));
    underWay.add(flight);
  }

  async function deliver(event: string, destination: string, body: string, number: number) {
    const startedAt = performance.now();
    const status = await post(destination, body);
    const ms = performance.now() - startedAt;
    if (end.signal.aborted) return;
    const isGood = status !== undefined && status >= 100 && status < 300;
    attempts.push({ event, destination, body, number, status, isGood, ms });
    if (isGood) return;
    noteBad(destination);
    const pauseMs = pauseAfter(number, status);
    if (pauseMs === undefined) return;
    const timer = setTimeout(() => {
      waiting.delete(timer);
      if (subscriptions.get(destination)?.disabled === false) {
        start(event, destination, body, number + 1);
      }
    }, pauseMs * timeScale);
    waiting.add(timer);
  }

  async function post(destination: string, body: string): Promise<number | undefined> {
    try {
      const response = await fetch(destination, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
        redirect: "manual",
        signal: AbortSignal.any([end.signal, AbortSignal.timeout(answerMs)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      // No answer, whatever the reason: it counts as a bad one.
      return undefined;
    }
  }

  /** More than a hundred within two hours, and the latest is one of them: switched off, and nobody is told here. */
  function noteBad(destination: string): void {
    const since = performance.now() - BAD_WINDOW_MS * timeScale;
    const recent = [...badAnswers.get(destination) ?? [], performance.now()].filter((at) =>
      at > since
    );
    badAnswers.set(destination, recent);
    if (recent.length > MOST_BAD) change(destination, { disabled: true });
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    subscriptions,
    attempts,
    switches,
    subscribe(destination, settings, sort = 1) {
      const known = subscriptions.get(destination);
      const fresh = { id: ++lastId, created_at: now(), created_by: 9_900_114, disabled: false };
      const subscription = {
        ...(known ?? { ...fresh, destination, account_id: account.id }),
        settings,
        sort,
        updated_at: now(),
      };
      subscriptions.set(destination, subscription);
      return subscription;
    },
    unsubscribe: (destination) => subscriptions.delete(destination),
    enable(destination) {
      badAnswers.delete(destination);
      change(destination, { disabled: false });
    },
    emit(event, entity, action, forms) {
      if (switches.lost) return;
      const { id, subdomain } = account;
      const self = `https://${subdomain}.amocrm.ru`;
      const body = encodeForm({
        [entity]: { [action]: forms },
        account: { subdomain, id, _links: { self } },
      });
      for (const { destination, settings, disabled } of subscriptions.values()) {
        if (disabled || !settings.includes(event)) continue;
        for (let copy = 0; copy < switches.copies; copy++) start(event, destination, body);
      }
    },
    idle,
    async [Symbol.asyncDispose]() {
      end.abort();
      waiting.forEach(clearTimeout);
      await idle();
    },
  };
}

/** How long after the try of this number the next one comes; undefined when none does. */
export function pauseAfter(number: number, status: number | undefined): number | undefined {
  const isTheirFault = status !== undefined && (status === 499 || status >= 500);
  if (number <= PAUSES_MS.length) return PAUSES_MS[number - 1];
  return isTheirFault ? LATE_PAUSES_MS[number - 1 - PAUSES_MS.length] : undefined;
}
