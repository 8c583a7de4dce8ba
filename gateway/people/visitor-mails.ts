// Mails that visitors request, perhaps for an email address that is not theirs: the limits, and the one-time links in the mails.
import { HOUR_MS, MINUTE_MS } from '../access/account.ts';
import { createToken, hashOf } from '../access/api-key.ts';
import { type NetworkWidth, networksOf } from '../access/attempts.ts';
import { canonicalEmail } from '../store/email.ts';
import { type Allowance, type Use, useLimits } from '../store/limits.ts';
import type { Sql } from '../store/sql.ts';
import type { Mail } from './mailer.ts';
import type { Needs } from './people.ts';
import type { FormError } from './web.ts';

/** How long a link is valid. */
export const LINK_MINUTES = 30;

/** @param email as returned by `readEmail` @returns the token of a one-time link; the store holds only its SHA-256 */
export async function createLink(sql: Sql, purpose: string, email: string): Promise<string> {
  const { token, hash } = createToken('gdl_');
  const statement = 'INSERT INTO links (hash, purpose, email, ends_at) VALUES ($1, $2, $3, $4)';
  await sql.run(statement, [hash, purpose, email, sql.now() + LINK_MINUTES * 60_000]);
  return token;
}

/** Returns the email address of a link; undefined if the token is for another purpose, used, expired or unknown. */
export async function findLink(sql: Sql, purpose: string, token: string): Promise<string | undefined> {
  const statement = 'SELECT email FROM links WHERE hash = $1 AND purpose = $2 AND ends_at > $3';
  return (await sql.get<{ email: string }>(statement, [hashOf(token), purpose, sql.now()]))?.email;
}

export async function removeLink(sql: Sql, token: string): Promise<void> {
  await sql.run('DELETE FROM links WHERE hash = $1', [hashOf(token)]);
}

/** A mail that a visitor requests. */
export interface MailRequest {
  form: 'sign-up' | 'sign-in' | 'claim';
  /** As returned by `readEmail`. */
  to: string;
  /** The IP address of the visitor, as returned by `ClientAddress`. */
  client: string;
  /** Writes the mail, and does all that must precede it. Called only if no limit is reached. */
  write(): Promise<Mail>;
}

/** Mails to one email address from one network: enough to repeat a late mail. */
const PAIR: Record<NetworkWidth, Allowance> = {
  connection: { atOnce: 3, everyMs: 3 * HOUR_MS },
  customer: { atOnce: 4, everyMs: 3 * HOUR_MS },
  site: { atOnce: 5, everyMs: 2 * HOUR_MS },
};
/** Mails that one network may request: enough for a class that signs up together. */
const NETWORK: Record<NetworkWidth, Allowance> = {
  connection: { atOnce: 20, everyMs: 20 * MINUTE_MS },
  customer: { atOnce: 40, everyMs: 15 * MINUTE_MS },
  site: { atOnce: 60, everyMs: 10 * MINUTE_MS },
};
/** Mails to one email address from all networks. */
const ADDRESS: Allowance = { atOnce: 10, everyMs: HOUR_MS };
/** When these are used up: the first mail from each further network. The owner is not in the network of those who used them up. */
const NEW_NETWORK: Allowance = { atOnce: 6, everyMs: HOUR_MS };

/**
 * Sends a mail that a visitor requests, unless the email address or the network has reached its limit. If sending fails, the effects of `write` stay:
 * the mail may still arrive late, and its link must work then.
 *
 * @returns why it was not sent; undefined if it was
 */
export async function sendOnRequest(
  request: MailRequest,
  { store, mailer, log }: Needs<'store' | 'mailer' | 'log'>,
): Promise<FormError | undefined> {
  const outcome = await useLimits(store, listUses(request));
  if (!outcome.isAllowed) return tooMany(outcome.seconds);
  const failure = await mailer.send(await request.write());
  if (!failure) return undefined;
  log.error('a mail could not be sent', { ...failure });
  if (failure.failure === 'refused') return REFUSED;
  // A mail that may still arrive counts, and so does one that the server does not take for this address.
  if (failure.failure !== 'unreached')
    return unavailable('The mail may arrive late. Check the spelling, or try again in a few minutes.');
  await outcome.takeBack();
  return unavailable('Mail cannot be sent right now. Nothing was lost. Try again in a few minutes.');
}

/** Lists the limits that a mail counts against. Each form has its own for a network, so that one cannot use up those of another. */
function listUses({ form, to, client }: MailRequest): Use[] {
  const address = canonicalEmail(to);
  const networks = networksOf(client);
  const pairName = (network: string) => `${form} ${address} ${network}`;
  const whileUnused = pairName(networks.at(-1)?.network ?? '');
  const reserve = { name: `mails ${address} new`, limit: NEW_NETWORK, whileUnused };
  return [
    ...networks.flatMap(({ network, width }) => [
      { name: pairName(network), limit: PAIR[width] },
      { name: `${form} ${network}`, limit: NETWORK[width] },
    ]),
    { name: `mails ${address}`, limit: ADDRESS, reserve },
  ];
}

const REFUSED: FormError = {
  status: 400,
  message: 'The mail server does not accept mail for this email address. Check the spelling.',
};
const unavailable = (message: string): FormError => ({ status: 503, message, retryAfter: 120 });

function tooMany(seconds: number): FormError {
  const wait = seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
  const message = `Too many mails were requested. Try again in ${wait}.`;
  return { status: 429, message, retryAfter: seconds };
}
