import { type Account, counterNameOf } from '../../access/account.ts';
import { networksOf, type NetworkWidth } from '../../access/attempts.ts';
import type { Log } from '../../http/log.ts';
import { canonicalEmail } from '../../store/email.ts';
import { type Limit, type Use, useLimits } from '../../store/limits.ts';
import type { Store } from '../../store/sql.ts';
import type { FormError } from '../web/form-error.tsx';
import { type Mail, type Mailer, MailError, type MailFailure } from './mailer.ts';

/** What `sendOnRequest` needs. */
export interface MailServices {
  store: Store;
  mailer: Mailer;
  log: Log;
  /** ms since 1970. */
  now: () => number;
}

/** What a mail is requested for. */
type MailForm = 'sign-up' | 'sign-in' | 'claim';

/** A mail that a visitor of a page requests for an email address that may not be theirs. */
export interface MailRequest {
  form: MailForm;
  /** As returned by `readEmail`. */
  to: string;
  /** The IP address of the visitor, as returned by `ClientAddress`. */
  client: string;
  /** The account if the visitor has proved to own it. Then the limits of visitors do not apply, only that of the account. */
  owner?: Account | undefined;
  /** Writes the mail, and does everything that has to be done before it is sent. Called only when no limit is reached. */
  write(): Promise<Mail>;
}

/** The outcome of a mail request; `seconds` says when it may be repeated. */
export type MailOutcome = { kind: 'sent' } | { kind: MailFailure } | { kind: 'limited'; seconds: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Mails to one email address from one network: enough to repeat a mail that is late. */
const PAIR: Record<NetworkWidth, Limit> = {
  connection: { atOnce: 3, everyMs: 3 * HOUR_MS },
  customer: { atOnce: 4, everyMs: 3 * HOUR_MS },
  site: { atOnce: 5, everyMs: 2 * HOUR_MS },
};
/** Mails that one network may request: enough for a class that signs up together. */
const NETWORK: Record<NetworkWidth, Limit> = {
  connection: { atOnce: 20, everyMs: 20 * MINUTE_MS },
  customer: { atOnce: 40, everyMs: 15 * MINUTE_MS },
  site: { atOnce: 60, everyMs: 10 * MINUTE_MS },
};
/** Mails to one email address from all networks. */
const ADDRESS: Limit = { atOnce: 10, everyMs: HOUR_MS };
/** When those are spent: mails to it that are the first from their network. Its owner is in another network than those who spent them. */
const NEW_NETWORK: Limit = { atOnce: 6, everyMs: HOUR_MS };
/** Mails that the signed-in owner of an account may request. Requests of others do not count here. */
const OWNER: Limit = { atOnce: 3, everyMs: HOUR_MS };

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
  const outcome = await useLimits(store, listUses(request));
  if (!outcome.isAllowed) return { kind: 'limited', seconds: outcome.seconds };
  const mail = await request.write();
  try {
    await mailer.send(mail);
    return { kind: 'sent' };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a mail could not be sent', { failure: error.failure, error: error.message });
    // A failure of ours does not count against the visitor.
    if (error.failure === 'unavailable') await outcome.takeBack();
    return { kind: error.failure };
  }
}

/** Lists what a mail counts against. Each form has allowances of its own, so that one cannot use up what another needs. */
function listUses({ form, to, client, owner }: MailRequest): Use[] {
  if (owner !== undefined) return [{ name: `mail-owner ${counterNameOf(owner)}`, limit: OWNER }];
  const address = canonicalEmail(to);
  const networks = networksOf(client);
  const pairName = (network: string) => `${form} ${address} ${network}`;
  return [
    ...networks.flatMap(({ network, width }) => [
      { name: pairName(network), limit: PAIR[width] },
      { name: `${form} ${network}`, limit: NETWORK[width] },
    ]),
    {
      name: `${form} ${address}`,
      limit: ADDRESS,
      reserve: {
        name: `${form} ${address} new`,
        limit: NEW_NETWORK,
        whileUnused: pairName(networks.at(-1)?.network ?? ''),
      },
    },
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
