import { createHash } from 'node:crypto';
import type { Log } from '../log.ts';
import { MailError, type Mailer } from '../mail/mailer.ts';
import { describeUsage, type Limits } from '../quota/counters.ts';
import { retryAfter } from '../quota/quota-headers.ts';
import type { Store } from '../store/store.ts';
import { createLink } from './links.ts';
import { linkMail } from './mails.ts';

/** What signing up needs. */
export interface SignupServices {
  store: Store;
  mailer: Mailer;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** The address by which people reach the gateway, as `https://api.example.org`; links in mails begin with it. */
  publicUrl: () => string;
}

/** What became of a request for a link; the same for addresses that have an account and for those that have none. */
export type SignupOutcome =
  | { kind: 'sent' }
  /** The server of the address does not take mail for it. */
  | { kind: 'refused' }
  /** No mail can be sent right now. */
  | { kind: 'unavailable' }
  /** @property seconds after which it goes on */
  | { kind: 'limited'; seconds: number };

/** Mails to one address: enough for one that is slow, too few to be a nuisance to whom others name. */
const ADDRESS_LIMITS: Limits = { minute: 2, day: 5 };
/** Requests of one network: enough for a class that signs up together. */
const NETWORK_LIMITS: Limits = { minute: 10, day: 50 };

/**
 * Mails a link to an address. The link is stored before its mail is sent, and stays when the mail fails: one that was late, and not
 * lost, brings a link that works; of one that was lost nobody knows the token.
 *
 * @param email as `readEmail` gives it
 * @param network that asks, as `networkOf` tells it
 * @throws StoreError, when nothing was sent
 */
export async function requestLink(
  email: string,
  network: string,
  { store, mailer, log, now, publicUrl }: SignupServices,
): Promise<SignupOutcome> {
  const counted: { id: string; at: number }[] = [];
  const limits = [
    [`signup-network:${network}`, NETWORK_LIMITS],
    [`signup-address:${email}`, ADDRESS_LIMITS],
  ] as const;
  for (const [name, limit] of limits) {
    // Whom it is about is not kept.
    const id = createHash('sha256').update(name).digest('hex');
    const { admitted, at, counters } = await store.countRequest(id, limit);
    if (!admitted) return { kind: 'limited', seconds: retryAfter(describeUsage(counters, limit), at) };
    counted.push({ id, at });
  }
  const { token, isKnown } = await createLink(store, email, now());
  try {
    await mailer.send(linkMail(email, `${publicUrl()}/signup/key?token=${token}`, isKnown));
    return { kind: 'sent' };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a sign-up mail was not taken', { failure: error.failure, error: error.message });
    // What is nobody's fault here but ours counts for nothing.
    if (error.failure === 'unavailable') {
      await Promise.all(counted.map(({ id, at }) => store.uncountRequest(id, at)));
    }
    return { kind: error.failure };
  }
}
