/**
 * What the steps see of the system: rows of the database, and messages that Telegram was given.
 * @module
 */
import type { SentMessage } from "../telegram_bot.ts";
import type { System } from "../system.ts";

/** A job as its row tells. */
export interface JobSeen {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly attempts: number;
  readonly claims: number;
  readonly lost: number;
  readonly lockedBy: string | null;
}

/** The jobs of an event, oldest first. */
export async function jobsOfEvent(
  { database: { sql } }: System,
  event: string,
): Promise<JobSeen[]> {
  return await sql<JobSeen[]>`
    select id, status, reason, attempts, claims, lost, locked_by as "lockedBy"
    from jobs where event_id = ${event}::bigint order by id
  `;
}

/** The job that a message of this chat led to; each step has a chat of its own. */
export async function jobOfChat(
  { database: { sql } }: System,
  chat: number,
): Promise<JobSeen | undefined> {
  const [job] = await sql<JobSeen[]>`
    select id, status, reason, attempts, claims, lost, locked_by as "lockedBy"
    from jobs where kind = 'telegram.message' and payload ->> 'chatId' = ${`${chat}`}
  `;
  return job;
}

/** How many stored deliveries hold this text. */
export async function countEvents({ database: { sql } }: System, text: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from events where position(convert_to(${text}, 'UTF8') in body) > 0
  `;
  return row!.count;
}

/** What was delivered to a chat. */
export function messagesTo({ telegram }: System, chat: number | string): readonly SentMessage[] {
  return telegram.messages.filter((message) => message.chatId === `${chat}`);
}
