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

/** A payment, from a webhook or an export. */
interface Payment {
  id: string;
  isForSubscription: boolean;
  email: string | null;
  amount: number;
  currency: string | null;
  tier: string | null;
  /** ISO 8601 UTC. */
  at: string;
}

/**
 * Reads Ko-fi's webhooks (https://ko-fi.com/manage/webhooks), which carry a token, and its export of transactions. Ko-fi identifies members
 * only by their email addresses.
 *
 * @returns undefined if no setting of Ko-fi is set
 * @throws CommandError
 */
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
  const toEvent = (name: string, payment: Payment): MembershipEvent | Ignored => {
    if (!payment.isForSubscription) return { name, ignored: 'not for a subscription' };
    const minimum = minimums.get(payment.currency?.toUpperCase() ?? '') ?? Number.POSITIVE_INFINITY;
    if (payment.amount < minimum && !tiers.has(payment.tier ?? ''))
      return { name, ignored: 'its tier and amount do not buy Pro' };
    const email = readEmail(payment.email ?? '');
    if (email === undefined) return { name, ignored: 'without an email address' };
    // Logs and lists of member ids must not reveal email addresses.
    const member = createHash('sha256').update(email).digest('base64url').slice(0, 22);
    const paid_until = addDays(payment.at, PAID_DAYS);
    return { name, id: payment.id, member, email, charged_at: payment.at, standing: 'active', paid_until };
  };
  return {
    name: 'ko-fi',
    columns: ['DateTime (UTC)', 'Received', 'Currency', 'TransactionType', 'TransactionId', 'BuyerEmail'],
    ...(token && {
      readWebhook(_, body, now) {
        const from = readPayload(parseRawQuery(body.toString())?.find(([name]) => name === 'data')?.[1]);
        const sent = from.get('verification_token');
        if (typeof sent !== 'string' || !isSameSecret(sent, token))
          throw new HttpProblem(
            'invalid-link',
            'verification_token does not match, expected the token that Ko-fi shows for the webhook',
          );
        return toEvent('payment', {
          id: from.need('message_id', from.text('message_id')),
          isForSubscription: from.flag('is_subscription_payment'),
          email: from.text('email'),
          amount: from.need('amount', from.amount('amount')),
          currency: from.need('currency', from.text('currency')),
          tier: from.text('tier_name'),
          at: new Date(now).toISOString(),
        });
      },
    }),
    readRow(row) {
      if (!/subscription|membership|monthly/i.test(row.text('TransactionType') ?? ''))
        return { name: 'export', ignored: 'not for a subscription' };
      const at = row.need('DateTime (UTC)', row.time('DateTime (UTC)'));
      return toEvent('export', {
        id: row.text('TransactionId') ?? at,
        isForSubscription: true,
        email: row.text('BuyerEmail'),
        amount: row.need('Received', row.amount('Received')),
        currency: row.text('Currency'),
        tier: row.text('Item'),
        at,
      });
    },
  };
}
