import { createHash } from 'node:crypto';
import { isSameSecret } from '../../store/secrets.ts';
import { parseRawQuery } from '../../http/incoming.ts';
import { CommandError } from '../../../scripts/system.ts';
import { readEmail } from '../../store/email.ts';
import type { MembershipEvent } from './membership.ts';
import {
  addDays,
  type Environment,
  type Ignored,
  invalidSignature,
  type Platform,
  parsePayload,
  payloadReader,
  type Row,
  ExportError,
  readNames,
  readUtc,
  unreadable,
} from './platform.ts';

/** How long one payment counts: a month, and some days until the next payment arrives. Ko-fi does not report cancellations. */
const PAID_DAYS = 35;
const AMOUNT = /^\d{1,7}(\.\d{1,2})?$/;
const SETTING = /^(\d{1,7}(?:\.\d{1,2})?) ?([A-Za-z]{3})$/;
const US_TIME = /^(\d\d)\/(\d\d)\/(\d{4}) (.+)$/;

/** The part of a payload that is used: https://ko-fi.com/manage/webhooks. */
interface Payload {
  message_id: string;
  email?: string | null;
  amount: string;
  currency: string;
  tier_name?: string | null;
  is_subscription_payment: boolean;
}

const readPayload = payloadReader<Payload>({
  type: 'object',
  required: ['message_id', 'amount', 'currency', 'is_subscription_payment'],
  properties: {
    message_id: { type: 'string', minLength: 1, maxLength: 200 },
    email: { type: ['string', 'null'] },
    amount: { type: 'string', pattern: AMOUNT.source },
    currency: { type: 'string' },
    tier_name: { type: ['string', 'null'] },
    is_subscription_payment: { type: 'boolean' },
  },
});

/** The tiers and amounts that include Pro. */
interface Terms {
  tiers: ReadonlySet<string>;
  /** Currency → minimum amount. */
  amounts: ReadonlyMap<string, number>;
}

/** A payment for a subscription, from a webhook or an export. */
interface Payment {
  id: string;
  email: string | null | undefined;
  amount: number;
  currency: string;
  tier: string | null | undefined;
  /** ISO 8601 UTC. */
  at: string;
}

/**
 * Reads Ko-fi's webhooks, which carry a token, and its export of transactions. Ko-fi identifies members only by their email addresses.
 *
 * @returns undefined if no setting of Ko-fi is set
 * @throws CommandError
 */
export function createKofi(environment: Environment): Platform | undefined {
  const { KOFI_VERIFICATION_TOKEN: token, KOFI_TIERS, KOFI_MIN_AMOUNT } = environment;
  if (!token && !KOFI_TIERS && !KOFI_MIN_AMOUNT) return undefined;
  const terms: Terms = { tiers: readNames(KOFI_TIERS), amounts: readAmounts(KOFI_MIN_AMOUNT) };
  if (terms.tiers.size === 0 && terms.amounts.size === 0) {
    throw new CommandError(
      'KOFI_VERIFICATION_TOKEN is set, but no setting says what buys Pro; set KOFI_TIERS=<names> or KOFI_MIN_AMOUNT="5 EUR,6 USD"',
      2,
    );
  }
  return {
    name: 'ko-fi',
    ...(token && { readWebhook: (_headers, body, now) => readWebhook(body, now, token, terms) }),
    columns: ['DateTime (UTC)', 'Received', 'Currency', 'TransactionType', 'TransactionId', 'BuyerEmail'],
    readRow: (row) => readRow(row, terms),
  };
}

function readAmounts(setting: string | undefined): ReadonlyMap<string, number> {
  const amounts = [...readNames(setting)].map((part) => {
    const [, amount, currency] = SETTING.exec(part) ?? [];
    if (amount !== undefined && currency !== undefined)
      return [currency.toUpperCase(), Number(amount)] as const;
    throw new CommandError(
      `KOFI_MIN_AMOUNT has ${JSON.stringify(part)}; expected amounts with their currencies, such as 5 EUR,6 USD`,
      2,
    );
  });
  return new Map(amounts);
}

function readWebhook(body: Buffer, now: number, token: string, terms: Terms): MembershipEvent | Ignored {
  const data = parseRawQuery(body.toString())?.find(([name]) => name === 'data')?.[1];
  if (data === undefined) throw unreadable('the body is not a form with the field data');
  const value = parsePayload(data);
  const sentToken = (value as { verification_token?: unknown } | null)?.verification_token;
  if (typeof sentToken !== 'string' || !isSameSecret(sentToken, token))
    throw invalidSignature(
      'verification_token does not match, expected the token that Ko-fi shows for the webhook',
    );
  const payload = readPayload(value);
  if (!payload.is_subscription_payment) return { name: 'payment', ignored: 'not for a subscription' };
  return toEvent(
    'payment',
    {
      id: payload.message_id,
      email: payload.email,
      amount: Number(payload.amount),
      currency: payload.currency,
      tier: payload.tier_name,
      at: new Date(now).toISOString(),
    },
    terms,
  );
}

function toEvent(name: string, payment: Payment, { tiers, amounts }: Terms): MembershipEvent | Ignored {
  const minimum = amounts.get(payment.currency.toUpperCase()) ?? Number.POSITIVE_INFINITY;
  if (payment.amount < minimum && !tiers.has(payment.tier?.trim() ?? ''))
    return { name, ignored: 'its tier and amount do not buy Pro' };
  const email = readEmail(payment.email?.trim() ?? '');
  if (email === undefined) return { name, ignored: 'without an email address' };
  return {
    name,
    id: payment.id,
    // Logs and lists of members' ids must not reveal email addresses.
    member: createHash('sha256').update(email).digest('base64url').slice(0, 22),
    email,
    charged_at: payment.at,
    standing: 'active',
    paid_until: addDays(payment.at, PAID_DAYS),
  };
}

function readRow(row: Row, terms: Terms): MembershipEvent | Ignored {
  if (!/subscription|membership|monthly/i.test(row.TransactionType ?? ''))
    return { name: 'export', ignored: 'not for a subscription' };
  const at = readUtc((row['DateTime (UTC)'] ?? '').trim().replace(US_TIME, '$3-$1-$2 $4'));
  if (at === undefined) throw unreadableCell(row, 'DateTime (UTC)', 'a time such as 2026-05-31 07:46');
  const amount = (row.Received ?? '').trim();
  if (!AMOUNT.test(amount)) throw unreadableCell(row, 'Received', 'an amount such as 5.00');
  const payment: Payment = {
    id: row.TransactionId?.trim() || at,
    email: row.BuyerEmail,
    amount: Number(amount),
    currency: (row.Currency ?? '').trim(),
    tier: row.Item,
    at,
  };
  return toEvent('export', payment, terms);
}

function unreadableCell(row: Row, column: string, expected: string): ExportError {
  return new ExportError(`"${column}" is ${JSON.stringify(row[column] ?? '')}, expected ${expected}`);
}
