// Ko-fi's webhooks (https://ko-fi.com/manage/webhooks), which carry a token, and its export of transactions. Ko-fi identifies members only by their
// email addresses.
import { createHash } from 'node:crypto';
import { CommandError } from '../../../scripts/system.ts';
import { parseRawQuery } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { readEmail } from '../../store/email.ts';
import { isSameSecret } from '../../store/secrets.ts';
import type { MembershipEvent } from './membership.ts';
import {
  addDays,
  type Environment,
  type Ignored,
  type Platform,
  readNames,
  readPayload,
} from './platform.ts';

/** How many days a payment covers: a month, and some days until the next payment arrives. Ko-fi does not report cancellations. */
const PAID_DAYS = 35;
const MINIMUM = /^(\d{1,7}(?:\.\d{1,2})?) ?([A-Za-z]{3})$/;

/** A payment for a subscription. `at` is ISO 8601 UTC. */
type Payment = Record<'email' | 'currency' | 'tier', string | null> & { at: string; amount: number };

/** @returns undefined if no setting of Ko-fi is set @throws CommandError */
export function createKofi(environment: Environment): Platform | undefined {
  const { KOFI_VERIFICATION_TOKEN: token, KOFI_TIERS, KOFI_MIN_AMOUNT } = environment;
  if (!token && !KOFI_TIERS && !KOFI_MIN_AMOUNT) return undefined;
  const tiers = readNames(KOFI_TIERS);
  /** Currency → minimum amount. */
  const minimums = new Map(
    [...readNames(KOFI_MIN_AMOUNT)].map((part) => {
      const [, amount, currency = ''] = MINIMUM.exec(part) ?? [];
      if (amount !== undefined) return [currency.toUpperCase(), Number(amount)] as const;
      throw new CommandError(
        `KOFI_MIN_AMOUNT has ${JSON.stringify(part)}; expected amounts with their currencies, such as 5 EUR,6 USD`,
        2,
      );
    }),
  );
  if (tiers.size === 0 && minimums.size === 0)
    throw new CommandError(
      'KOFI_VERIFICATION_TOKEN is set, but no setting says what buys Pro; set KOFI_TIERS=<names> or KOFI_MIN_AMOUNT="5 EUR,6 USD"',
      2,
    );
  const notForSubscription = (name: string): Ignored => ({ name, ignored: 'not for a subscription' });
  const toEvent = (name: string, payment: Payment): MembershipEvent | Ignored => {
    const { at, currency, tier } = payment;
    const minimum = minimums.get(currency?.toUpperCase() ?? '') ?? Number.POSITIVE_INFINITY;
    if (payment.amount < minimum && !tiers.has(tier ?? ''))
      return { name, ignored: 'its tier and amount do not buy Pro' };
    const email = readEmail(payment.email ?? '');
    if (email === undefined) return { name, ignored: 'without an email address' };
    // Logs and lists of member ids must not reveal email addresses.
    const member = createHash('sha256').update(email).digest('base64url').slice(0, 22);
    const paid_until = addDays(at, PAID_DAYS);
    return { name, member, email, charged_at: at, standing: 'active', paid_until };
  };
  return {
    name: 'ko-fi',
    columns: ['DateTime (UTC)', 'Received', 'Currency', 'TransactionType', 'BuyerEmail'],
    ...(token && {
      readWebhook(_, body) {
        const from = readPayload(parseRawQuery(body.toString())?.find(([name]) => name === 'data')?.[1]);
        const sent = from.get('verification_token');
        if (typeof sent !== 'string' || !isSameSecret(sent, token))
          throw new HttpProblem(
            'invalid-link',
            'verification_token does not match, expected the token that Ko-fi shows for the webhook',
          );
        const payment = {
          email: from.text('email'),
          amount: from.need('amount', 'amount'),
          currency: from.need('text', 'currency'),
          tier: from.text('tier_name'),
          at: from.need('time', 'timestamp'),
        };
        const isForSubscription = from.get('is_subscription_payment') === true;
        return isForSubscription ? toEvent('payment', payment) : notForSubscription('payment');
      },
    }),
    readRow(row) {
      const type = row.text('TransactionType') ?? '';
      if (!/subscription|membership|monthly/i.test(type)) return notForSubscription('export');
      return toEvent('export', {
        email: row.text('BuyerEmail'),
        amount: row.need('amount', 'Received'),
        currency: row.text('Currency'),
        tier: row.text('Item'),
        at: row.need('time', 'DateTime (UTC)'),
      });
    },
  };
}
