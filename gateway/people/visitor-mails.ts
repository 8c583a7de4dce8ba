// Mails that visitors request for an email address that may not be theirs: their limits, and the one-time links in them.
import { type Account, counterNameOf } from '../access/account.ts';
import { type NetworkWidth, networksOf } from '../access/attempts.ts';
import { canonicalEmail } from '../store/email.ts';
import { type Limit, type Use, useLimits } from '../store/limits.ts';
import { createToken, hashToken } from '../store/secrets.ts';
import type { Sql } from '../store/sql.ts';
import { type Mail, MailError } from './mailer.ts';
import type { Needs } from './services.ts';
import type { FormError } from './web.ts';

/** How long a link is valid. */
export const LINK_MINUTES = 30;

/** What a link lets its recipient do. */
type LinkPurpose = 'signup' | 'sign-in';

/** Makes a one-time link for an email address, as returned by `readEmail`. @returns its token, of which the store holds only the SHA-256 */
export async function createLink(sql: Sql, purpose: LinkPurpose, email: string): Promise<string> {
  const token = createToken();
  const now = sql.now();
  const statement =
    'INSERT INTO links (hash, purpose, email, created_at, ends_at) VALUES ($1, $2, $3, $4, $5)';
  await sql.run(statement, [hashToken(token), purpose, email, now, now + LINK_MINUTES * 60_000]);
  return token;
}

/** Returns the email address of a link; undefined when the token is for another purpose, used, expired or unknown. */
export async function findLink(sql: Sql, purpose: LinkPurpose, token: string): Promise<string | undefined> {
  const statement = 'SELECT email FROM links WHERE hash = $1 AND purpose = $2 AND ends_at > $3';
  return (await sql.get<{ email: string }>(statement, [hashToken(token), purpose, sql.now()]))?.email;
}

/** Removes a link that has been used. */
export async function removeLink(sql: Sql, token: string): Promise<void> {
  await sql.run('DELETE FROM links WHERE hash = $1', [hashToken(token)]);
}

/** A mail that a visitor of a page requests. */
export interface MailRequest {
  form: 'sign-up' | 'sign-in' | 'claim';
  /** As returned by `readEmail`. */
  to: string;
  /** The IP address of the visitor, as returned by `ClientAddress`. */
  client: string;
  /** The account if the visitor has proved to own it. Then the limits of visitors do not apply, only that of the account. */
  owner?: Account | undefined;
  /** Writes the mail, and does everything that has to be done before it is sent. Called only when no limit is reached. */
  write(): Promise<Mail>;
}

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
/** Mails that the owner of an account may request who sent one of its keys. Requests of others do not count here. */
const OWNER: Limit = { atOnce: 3, everyMs: HOUR_MS };

/**
 * Sends a mail that a visitor requests, unless the email address or the network has reached its limit. When sending fails, what `write`
 * did is kept: the mail may still arrive late, and its link must work then.
 *
 * @returns why it was not sent; undefined when it was
 */
export async function sendOnRequest(
  request: MailRequest,
  { store, mailer, log }: Needs<'store' | 'mailer' | 'log'>,
): Promise<FormError | undefined> {
  const outcome = await useLimits(store, listUses(request));
  if (!outcome.isAllowed) return tooMany(outcome.seconds);
  const mail = await request.write();
  try {
    await mailer.send(mail);
    return undefined;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a mail could not be sent', { failure: error.failure, error: error.message });
    if (error.failure === 'refused') return REFUSED;
    // A failure of ours does not count against the visitor.
    await outcome.takeBack();
    return UNAVAILABLE;
  }
}

/** Lists what a mail counts against. Each form has allowances of its own, so that one cannot use up what another needs. */
function listUses({ form, to, client, owner }: MailRequest): Use[] {
  if (owner !== undefined) return [{ name: `mail-owner ${counterNameOf(owner)}`, limit: OWNER }];
  const address = canonicalEmail(to);
  const networks = networksOf(client);
  const pairName = (network: string) => `${form} ${address} ${network}`;
  const whileUnused = pairName(networks.at(-1)?.network ?? '');
  const reserve = { name: `${form} ${address} new`, limit: NEW_NETWORK, whileUnused };
  return [
    ...networks.flatMap(({ network, width }) => [
      { name: pairName(network), limit: PAIR[width] },
      { name: `${form} ${network}`, limit: NETWORK[width] },
    ]),
    { name: `${form} ${address}`, limit: ADDRESS, reserve },
  ];
}

const REFUSED: FormError = {
  status: 400,
  message: 'The mail server does not accept mail for this email address. Check the spelling.',
};
const UNAVAILABLE: FormError = {
  status: 503,
  message: 'Mail cannot be sent right now. Nothing was lost. Try again in a few minutes.',
  retryAfter: 120,
};

function tooMany(seconds: number): FormError {
  const wait =
    seconds < 120
      ? `${seconds} seconds`
      : seconds < 7200
        ? `${Math.ceil(seconds / 60)} minutes`
        : `${Math.ceil(seconds / 3600)} hours`;
  const message = `Too many mails were requested. Try again in ${wait}.`;
  return { status: 429, message, retryAfter: seconds };
}
