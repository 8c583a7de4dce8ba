import { retryAfter } from '../../access/quota-headers.ts';
import { networkOf, siteOf } from '../../http/client-address.ts';
import type { Log } from '../../log/log.ts';
import { describeUsage, type Limits } from '../../plans/counters.ts';
import type { Store } from '../../store/store.ts';
import { canonicalEmail } from '../accounts/email.ts';
import { nameLimits } from '../accounts/name-counters.ts';
import type { FormError } from '../web/form-error.ts';
import { type Mail, MailError, type Mailer, type MailFailure } from './mailer.ts';

/** What `sendOnRequest` needs. */
export interface MailServices {
  store: Store;
  mailer: Mailer;
  log: Log;
}

/** A mail that a visitor of a page requests for an email address that may not be theirs. */
export interface MailRequest {
  /** As returned by `readEmail`. */
  to: string;
  /** The IP address of the visitor, as returned by `ClientAddress`. */
  client: string;
  /** The id of the account if the visitor has proved to own it. Then the limits of visitors do not apply, only that of the account. */
  owner?: string | undefined;
  /** Writes the mail, and does everything that has to be done before it is sent. Called only when no limit is reached. */
  write(): Promise<Mail>;
}

/** The outcome of a mail request; `seconds` says when it may be repeated. */
export type MailOutcome = { kind: 'sent' } | { kind: MailFailure } | { kind: 'limited'; seconds: number };

/** Mails to one email address from one network: enough to repeat a mail that is late, too few to be a nuisance. */
const PAIR_LIMITS: Limits = { minute: 2, day: 5 };
/** Mails to one email address from all networks: several networks are needed to keep its owner from getting any. */
const ADDRESS_LIMITS: Limits = { minute: 6, day: 30 };
/** Mails that one network may request: enough for a class that signs up together. */
const NETWORK_LIMITS: Limits = { minute: 10, day: 50 };
/** Mails that all networks of an IPv6 site may request. */
const SITE_LIMITS: Limits = { minute: 30, day: 200 };
/** Mails that the signed-in owner of an account may request. Requests of others do not count here. */
const OWNER_LIMITS: Limits = { minute: 2, day: 10 };

/**
 * Sends a mail that a visitor requests, unless the email address or the network has reached its limit. When sending fails, what `write`
 * did is kept: the mail may still arrive late, and its link must work then.
 *
 * @throws StoreError when the store does not respond; nothing was sent then
 */
export async function sendOnRequest(
  request: MailRequest,
  { store, mailer, log }: MailServices,
): Promise<MailOutcome> {
  const counted: { id: string; at: number }[] = [];
  const limits = limitsOf(request);
  // The store holds only a keyed hash of the email address or network.
  const ids = await nameLimits(
    store,
    limits.map(([name]) => name),
  );
  for (const [at, [, limit]] of limits.entries()) {
    const id = ids[at] as string;
    const { admitted, at: time, counters } = await store.countRequest(id, limit);
    if (!admitted) return { kind: 'limited', seconds: retryAfter(describeUsage(counters, limit), time) };
    counted.push({ id, at: time });
  }
  const mail = await request.write();
  try {
    await mailer.send(mail);
    return { kind: 'sent' };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a mail could not be sent', { failure: error.failure, error: error.message });
    // A failure of ours does not count against the visitor.
    if (error.failure === 'unavailable') {
      await Promise.all(counted.map(({ id, at }) => store.uncountRequest(id, at)));
    }
    return { kind: error.failure };
  }
}

/** Lists what a mail counts against. The narrow limits come first: what they refuse does not use up the wide ones. */
function limitsOf({ to, client, owner }: MailRequest): [name: string, limits: Limits][] {
  if (owner !== undefined) return [[`mail-owner:${owner}`, OWNER_LIMITS]];
  const network = networkOf(client);
  const site = siteOf(client);
  const address = canonicalEmail(to);
  return [
    [`mail-pair:${network} ${address}`, PAIR_LIMITS],
    [`mail-network:${network}`, NETWORK_LIMITS],
    ...(site === undefined ? [] : [[`mail-site:${site}`, SITE_LIMITS] satisfies [string, Limits]]),
    [`mail-address:${address}`, ADDRESS_LIMITS],
  ];
}

/** When to retry after a failure of the mail server. */
const RETRY_SECONDS = 120;

/** Explains to the visitor why a mail was not sent. */
export function explainOutcome(outcome: Exclude<MailOutcome, { kind: 'sent' }>): FormError {
  switch (outcome.kind) {
    case 'refused':
      return {
        status: 400,
        message: 'The mail server does not accept mail for this email address. Check the spelling.',
      };
    case 'unavailable':
      return {
        status: 503,
        message: 'Mail cannot be sent right now. Nothing was lost. Try again in a few minutes.',
        retryAfter: RETRY_SECONDS,
      };
    case 'limited':
      return {
        status: 429,
        message: `Too many mails were requested. Try again ${describeWait(outcome.seconds)}.`,
        retryAfter: outcome.seconds,
      };
  }
}

function describeWait(seconds: number): string {
  if (seconds < 120) return `in ${seconds} seconds`;
  return seconds < 7200 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${Math.ceil(seconds / 3600)} hours`;
}
