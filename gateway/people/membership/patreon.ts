import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../store/secrets.ts';
import { CommandError } from '../../../scripts/system.ts';
import { readEmail } from '../../store/email.ts';
import type { MembershipEvent, Standing } from './membership.ts';
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
} from './platform.ts';

/** How long Pro lasts after `next_charge_date`: Patreon repeats a declined charge for some days. */
const GRACE_DAYS = 7;
const PAID = new Set(['Paid', 'Free Trial']);
const REVERSED = new Set(['Refunded', 'Fraud']);

/** The part of a payload that is used, as https://docs.patreon.com/#webhooks describes it and as Patreon sends it. */
interface Payload {
  data: {
    attributes: {
      email?: string | null;
      patron_status?: 'active_patron' | 'declined_patron' | 'former_patron' | null;
      last_charge_status?: string | null;
      last_charge_date?: string | null;
      next_charge_date?: string | null;
      currently_entitled_amount_cents?: number | null;
      is_gifted?: boolean | null;
      is_free_trial?: boolean | null;
      pledge_cadence?: number | null;
    };
    relationships: {
      currently_entitled_tiers?: { data?: { id: string }[] | null } | null;
      user: { data: { id: string } };
    };
  };
  /** The tiers with their titles, among other things. */
  included?: { type: string; id: string; attributes?: { title?: unknown } | null }[] | null;
}

const TEXT = { type: 'string', maxLength: 100 };
const TIME = { type: ['string', 'null'], format: 'time' };
const FLAG = { type: ['boolean', 'null'] };
const NUMBER = { type: ['integer', 'null'] };
const OPTIONAL_TEXT = { type: ['string', 'null'] };
const object = (properties: object, required = Object.keys(properties), type: unknown = 'object') => ({
  ...{ type, required, properties },
});
const listOf = (items: object, more = {}) => ({ type: ['array', 'null'], items, ...more });
const REFERENCE = object({ id: { ...TEXT, minLength: 1 } });
const ATTRIBUTES = {
  ...{ email: OPTIONAL_TEXT, last_charge_status: OPTIONAL_TEXT },
  patron_status: { enum: ['active_patron', 'declined_patron', 'former_patron', null] },
  ...{ last_charge_date: TIME, next_charge_date: TIME, is_gifted: FLAG, is_free_trial: FLAG },
  ...{ currently_entitled_amount_cents: NUMBER, pledge_cadence: NUMBER },
};
const TIERS = object({ data: listOf(REFERENCE, { maxItems: 100 }) }, [], ['object', 'null']);
const relationships = object({ user: object({ data: REFERENCE }), currently_entitled_tiers: TIERS }, [
  'user',
]);
const readPayload = payloadReader<Payload>(
  object(
    {
      data: object({ attributes: object(ATTRIBUTES, []), relationships }),
      included: listOf(object({ type: TEXT, id: TEXT })),
    },
    ['data'],
  ),
);

/** The tiers and amounts that include Pro. */
interface Terms {
  /** Tiers by their ids or titles. */
  tiers: ReadonlySet<string>;
  minCents: number;
  /** The currency of `minCents`; undefined if it does not matter. */
  currency: string | undefined;
}

/** A member's state as of the last charge, from a webhook or an export. */
interface State {
  user: string;
  email: string | null | undefined;
  patronStatus: string | null | undefined;
  chargeStatus: string | null | undefined;
  chargedAt: string | null | undefined;
  nextChargeAt: string | null | undefined;
  tiers: readonly string[];
  /** What a period costs, and how many months it has. */
  cents: number;
  cadence: number;
  /** Of an export; undefined in webhooks, whose amounts are in the currency of the campaign. */
  currency?: string | undefined;
  /** A gift or a free trial: not charged, and Pro while it is entitled. */
  isGiven: boolean;
  /** When the platform reported it; undefined in an export. */
  reportedAt: string | undefined;
}

/**
 * Reads Patreon's webhooks, which are signed with an HMAC-MD5 of the body, and the member export of its relationship manager.
 *
 * @returns undefined if no setting of Patreon is set
 * @throws CommandError
 */
export function createPatreon(environment: Environment): Platform | undefined {
  const { PATREON_WEBHOOK_SECRET: secret, PATREON_TIERS, PATREON_MIN_CENTS, PATREON_CURRENCY } = environment;
  if (!secret && !PATREON_TIERS && !PATREON_MIN_CENTS) return undefined;
  const terms: Terms = {
    tiers: readNames(PATREON_TIERS),
    minCents: readMinCents(PATREON_MIN_CENTS),
    currency: PATREON_CURRENCY?.toUpperCase() || undefined,
  };
  if (terms.tiers.size === 0 && terms.minCents === Number.POSITIVE_INFINITY) {
    throw new CommandError(
      'PATREON_WEBHOOK_SECRET is set, but no setting says what buys Pro; set PATREON_TIERS=<ids or titles> or PATREON_MIN_CENTS=500',
      2,
    );
  }
  return {
    name: 'patreon',
    ...(secret && {
      readWebhook: (headers, body, now) => readWebhook(headers, body, now, { secret, terms }),
    }),
    columns: [
      'Email',
      'Patron Status',
      'Last Charge Date',
      'Last Charge Status',
      'Next Charge Date',
      'User ID',
    ],
    readRow: (row) => readRow(row, terms),
  };
}

function readMinCents(setting: string | undefined): number {
  if (!setting) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,6}$/.test(setting)) return Number(setting);
  throw new CommandError(
    `PATREON_MIN_CENTS is ${JSON.stringify(setting)}; expected a whole number of cents, such as 500 for 5.00`,
    2,
  );
}

function readWebhook(
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
  { secret, terms }: { secret: string; terms: Terms },
): MembershipEvent | Ignored {
  const expected = createHmac('md5', secret).update(body).digest('hex');
  const signature = String(headers['x-patreon-signature'] ?? '').toLowerCase();
  if (!isSameSecret(signature, expected)) {
    throw invalidSignature(
      'X-Patreon-Signature does not match the body, expected a signature with the webhook’s secret',
    );
  }
  const name = String(headers['x-patreon-event'] ?? '');
  if (!/^members:[a-z:]{1,30}$/.test(name)) return { name: 'other', ignored: 'not about a member' };
  const { data, included } = readPayload(parsePayload(body.toString()));
  const { attributes, relationships } = data;
  const entitled = new Set(relationships.currently_entitled_tiers?.data?.map(({ id }) => id));
  const titles = (included ?? [])
    .filter(({ type, id }) => type === 'tier' && entitled.has(id))
    .flatMap(({ attributes }) => (typeof attributes?.title === 'string' ? attributes.title : []));
  const state: State = {
    user: relationships.user.data.id,
    email: attributes.email,
    patronStatus: attributes.patron_status,
    chargeStatus: attributes.last_charge_status,
    chargedAt: attributes.last_charge_date,
    nextChargeAt: attributes.next_charge_date,
    tiers: [...entitled, ...titles],
    cents: attributes.currently_entitled_amount_cents ?? 0,
    cadence: attributes.pledge_cadence ?? 1,
    isGiven: attributes.is_gifted === true || attributes.is_free_trial === true,
    reportedAt: new Date(now).toISOString(),
  };
  return toEvent(name, createHash('sha256').update(body).digest('base64url'), state, terms);
}

function toEvent(name: string, id: string, state: State, terms: Terms): MembershipEvent {
  const email = readEmail(state.email ?? '');
  const { standing, reason } = judge(state, terms);
  const paidUntil = standing === 'active' ? endOf(state) : undefined;
  // Each report of a gift is newer than the one before: without charges there is nothing else to order them by.
  const chargedAt = state.isGiven ? state.reportedAt : readUtc(state.chargedAt ?? '');
  return {
    name,
    id,
    member: state.user,
    ...(email !== undefined && { email }),
    charged_at: chargedAt ?? null,
    standing,
    ...(reason !== undefined && { reason }),
    ...(paidUntil && { paid_until: paidUntil, grace_until: addDays(paidUntil, GRACE_DAYS) }),
  };
}

/** Returns when the paid period ends: with the next charge, or by the last one where Patreon does not say when the next is. */
function endOf({ nextChargeAt, chargedAt, cadence, isGiven, reportedAt }: State): string | undefined {
  const next = readUtc(nextChargeAt ?? '');
  const last = readUtc(chargedAt ?? '');
  if (next !== undefined && (last === undefined || next > last)) return next;
  if (isGiven) return reportedAt && addMonths(reportedAt, MAX_GIFT_MONTHS);
  const begun = last ?? reportedAt;
  return begun && addMonths(begun, Math.max(1, cadence));
}

/** The longest gift that Patreon sells. Its end is reported; this is for when that report is lost. */
const MAX_GIFT_MONTHS = 12;

/** Adds months to a time; the day is the last one of the month if it has no such day. */
function addMonths(time: string, months: number): string {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.toISOString();
}

/** The status decides, not the event's name: Patreon sends no deletion for a member who cancels after paying. */
function judge(state: State, terms: Terms): { standing: Standing; reason?: string } {
  const { patronStatus, chargeStatus, tiers, isGiven } = state;
  const isEntitled = tiers.some((tier) => terms.tiers.has(tier));
  if (REVERSED.has(chargeStatus ?? ''))
    return { standing: 'revoked', reason: `the last charge was reversed: ${chargeStatus}` };
  if (isGiven && isEntitled) return { standing: 'active' };
  if (isGiven) return { standing: 'revoked', reason: 'the gift or trial has no tier that buys Pro' };
  if (patronStatus !== 'active_patron' && patronStatus !== 'declined_patron')
    return { standing: 'cancelled', reason: 'not a patron any more, or never' };
  if (patronStatus === 'declined_patron')
    return { standing: 'undecided', reason: 'the last charge was declined' };
  if (!PAID.has(chargeStatus ?? ''))
    return { standing: 'undecided', reason: `the last charge is ${chargeStatus || 'not known'}, not Paid` };
  const missing = isEntitled ? undefined : whyTooLittle(state, terms);
  return missing === undefined ? { standing: 'active' } : { standing: 'unentitled', reason: missing };
}

/** Returns why an amount does not buy Pro; undefined if it does. */
function whyTooLittle({ cents, cadence, currency }: State, terms: Terms): string | undefined {
  const none = 'its tiers do not buy Pro';
  if (terms.minCents === Number.POSITIVE_INFINITY) return none;
  if (terms.currency !== undefined && currency !== undefined && currency !== terms.currency)
    return `${none}, and its amount is in ${currency}, not in ${terms.currency}`;
  const monthly = cents / Math.max(1, cadence);
  return monthly >= terms.minCents
    ? undefined
    : `${none}, and it pays ${Math.floor(monthly)} cents a month of ${terms.minCents}`;
}

function readRow(row: Row, terms: Terms): MembershipEvent | Ignored {
  const user = row['User ID']?.trim();
  if (!user || user.length > TEXT.maxLength)
    throw new ExportError('"User ID" is empty, expected the id of a member');
  const state: State = {
    user,
    email: row.Email?.trim(),
    patronStatus: readStatus(row['Patron Status'] ?? ''),
    chargeStatus: row['Last Charge Status'],
    chargedAt: readTimeCell(row, 'Last Charge Date'),
    nextChargeAt: readTimeCell(row, 'Next Charge Date'),
    tiers: row.Tier ? [row.Tier.trim()] : [],
    cents: readCents(row),
    cadence: /annual|year/i.test(row['Charge Frequency'] ?? '') ? 12 : 1,
    currency: row.Currency?.trim().toUpperCase() || undefined,
    isGiven: false,
    reportedAt: undefined,
  };
  const id = createHash('sha256').update(JSON.stringify(state)).digest('base64url');
  return toEvent('export', id, state, terms);
}

/** Reads `Active patron` as `active_patron`. Other values, such as those of followers and free members, are not a patron's. */
function readStatus(cell: string): string {
  return cell.trim().toLowerCase().replace(' ', '_');
}

function readTimeCell(row: Row, column: string): string | undefined {
  const cell = row[column]?.trim() ?? '';
  const time = readUtc(cell);
  if (time !== undefined || cell === '') return time;
  throw new ExportError(
    `"${column}" is ${JSON.stringify(cell)}, expected a time such as 2026-05-31 07:46:37`,
  );
}

/** Reads the amount of a period. @throws ExportError for amounts such as `1,000.00` and `$5.00` */
function readCents(row: Row): number {
  const cell = row['Pledge Amount']?.trim() ?? '';
  if (cell === '') return 0;
  if (/^\d{1,7}(\.\d{1,2})?$/.test(cell)) return Math.round(Number(cell) * 100);
  throw new ExportError(`"Pledge Amount" is ${JSON.stringify(cell)}, expected an amount such as 5.00`);
}
