import { createHash } from 'node:crypto';
import { retryAfter } from '../../access/quota-headers.ts';
import type { Log } from '../../log/log.ts';
import { describeUsage, type Limits } from '../../plans/counters.ts';
import type { Store } from '../../store/store.ts';
import type { FormError } from '../web/form-error.ts';
import { type Mail, MailError, type Mailer, type MailFailure } from './mailer.ts';

/** What mails that strangers ask for take. */
export interface MailServices {
  store: Store;
  mailer: Mailer;
  log: Log;
}

/** A mail that somebody asks for, who says that the address is his. */
export interface MailRequest {
  /** As `readEmail` gives it. */
  to: string;
  /** Which asks, as `networkOf` tells it. */
  network: string;
  /** Writes the mail, once it may be sent, and does all that has to be done before. */
  write(): Promise<Mail>;
}

/** What became of it; `seconds` after which it may be asked for again. */
export type MailOutcome = { kind: 'sent' } | { kind: MailFailure } | { kind: 'limited'; seconds: number };

/** Mails to one address: enough for one that is slow, too few to be a nuisance to whom others name. */
const ADDRESS_LIMITS: Limits = { minute: 2, day: 5 };
/** Requests of one network: enough for a class that signs up together. */
const NETWORK_LIMITS: Limits = { minute: 10, day: 50 };

/**
 * Sends a mail that somebody asks for, within what an address and a network may ask. What `write` did stays when the mail fails: a mail
 * that was late, and not lost, holds what it says.
 *
 * @throws StoreError, when nothing was sent
 */
export async function sendOnRequest(
  { to, network, write }: MailRequest,
  { store, mailer, log }: MailServices,
): Promise<MailOutcome> {
  const counted: { id: string; at: number }[] = [];
  const limits = [
    [`mail-network:${network}`, NETWORK_LIMITS],
    [`mail-address:${to}`, ADDRESS_LIMITS],
  ] as const;
  for (const [name, limit] of limits) {
    // Whom it is about is not kept.
    const id = createHash('sha256').update(name).digest('hex');
    const { admitted, at, counters } = await store.countRequest(id, limit);
    if (!admitted) return { kind: 'limited', seconds: retryAfter(describeUsage(counters, limit), at) };
    counted.push({ id, at });
  }
  const mail = await write();
  try {
    await mailer.send(mail);
    return { kind: 'sent' };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a mail was not taken', { failure: error.failure, error: error.message });
    // What is nobody's fault here but ours counts for nothing.
    if (error.failure === 'unavailable') {
      await Promise.all(counted.map(({ id, at }) => store.uncountRequest(id, at)));
    }
    return { kind: error.failure };
  }
}

/** When a mail may go through that did not, in seconds. */
const RETRY_SECONDS = 120;

/** What a person is told of a mail that was not sent. */
export function explainOutcome(outcome: Exclude<MailOutcome, { kind: 'sent' }>): FormError {
  switch (outcome.kind) {
    case 'refused':
      return {
        status: 400,
        message:
          'The mail server of this address does not take mail for it. See whether it is spelled right.',
      };
    case 'unavailable':
      return {
        status: 503,
        message: 'No mail can be sent right now. Nothing was lost: try again in a few minutes.',
        retryAfter: RETRY_SECONDS,
      };
    case 'limited':
      return {
        status: 429,
        message: `Too many mails were asked for. Try again ${describeWait(outcome.seconds)}.`,
        retryAfter: outcome.seconds,
      };
  }
}

function describeWait(seconds: number): string {
  if (seconds < 120) return `in ${seconds} seconds`;
  return seconds < 7200 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${Math.ceil(seconds / 3600)} hours`;
}
