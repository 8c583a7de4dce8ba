import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../accounts/token.ts';
import { readEmail } from '../../store/email.ts';
import type { MembershipEvent, Standing } from './membership.ts';
import { parsePayload, payloadReader } from './payload.ts';
import {
  addDays,
  type Environment,
  type Ignored,
  invalidSignature,
  type Platform,
  type Row,
  RowError,
  readNames,
  readUtc,
  SettingError,
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
    };
    relationships: {
      currently_entitled_tiers?: { data?: { id: string }[] };
      user: { data: { id: string } };
    };
  };
  /** The tiers with their titles, among other things. */
  included?: { type: string; id: string; attributes?: { title?: unknown } | null }[];
}

const TEXT = { type: 'string', maxLength: 100 };
const TIME = { type: ['string', 'null'], format: 'time' };
const REFERENCE = { type: 'object', required: ['id'], properties: { id: { ...TEXT, minLength: 1 } } };
const ATTRIBUTES = {
  type: 'object',
  required: ['patron_status'],
  properties: {
    email: { type: ['string', 'null'] },
    patron_status: { enum: ['active_patron', 'declined_patron', 'former_patron', null] },
    last_charge_status: { type: ['string', 'null'] },
    last_charge_date: TIME,
    next_charge_date: TIME,
    currently_entitled_amount_cents: { type: ['integer', 'null'] },
  },
};
const RELATIONSHIPS = {
  type: 'object',
  required: ['user'],
  properties: {
    user: { type: 'object', required: ['data'], properties: { data: REFERENCE } },
    currently_entitled_tiers: {
      type: 'object',
      properties: { data: { type: 'array', maxItems: 100, items: REFERENCE } },
    },
  },
};
const readPayload = payloadReader<Payload>({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['attributes', 'relationships'],
      properties: { attributes: ATTRIBUTES, relationships: RELATIONSHIPS },
    },
    included: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'id'],
        properties: { type: TEXT, id: TEXT },
      },
    },
  },
});

/** The tiers and amounts that include Pro. */
interface Terms {
  /** Tiers by their ids or titles. */
  tiers: ReadonlySet<string>;
  minCents: number;
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
  cents: number;
}

/**
 * Reads Patreon's webhooks, which are signed with an HMAC-MD5 of the body, and the member export of its relationship manager.
 *
 * @returns undefined if no setting of Patreon is set
 * @throws SettingError
 */
export function createPatreon(environment: Environment): Platform | undefined {
  const { PATREON_WEBHOOK_SECRET: secret, PATREON_TIERS, PATREON_MIN_CENTS } = environment;
  if (!secret && !PATREON_TIERS && !PATREON_MIN_CENTS) return undefined;
  const terms: Terms = { tiers: readNames(PATREON_TIERS), minCents: readMinCents(PATREON_MIN_CENTS) };
  if (terms.tiers.size === 0 && terms.minCents === Number.POSITIVE_INFINITY) {
    throw new SettingError(
      'PATREON_WEBHOOK_SECRET is set, but no setting says what buys Pro; set PATREON_TIERS=<ids or titles> or PATREON_MIN_CENTS=500',
    );
  }
  return {
    name: 'patreon',
    ...(secret && { readWebhook: (headers, body) => readWebhook(headers, body, secret, terms) }),
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
  throw new SettingError(
    `PATREON_MIN_CENTS is ${JSON.stringify(setting)}; expected a whole number of cents, such as 500 for 5.00`,
  );
}

function readWebhook(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  terms: Terms,
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
  const { data, included = [] } = readPayload(parsePayload(body.toString()));
  const { attributes, relationships } = data;
  const entitled = new Set(relationships.currently_entitled_tiers?.data?.map(({ id }) => id));
  const titles = included
    .filter(({ type, id }) => type === 'tier' && entitled.has(id))
    .map(({ attributes }) => String(attributes?.title ?? ''));
  const state: State = {
    user: relationships.user.data.id,
    email: attributes.email,
    patronStatus: attributes.patron_status,
    chargeStatus: attributes.last_charge_status,
    chargedAt: attributes.last_charge_date,
    nextChargeAt: attributes.next_charge_date,
    tiers: [...entitled, ...titles],
    cents: attributes.currently_entitled_amount_cents ?? 0,
  };
  return toEvent(name, createHash('sha256').update(body).digest('base64url'), state, terms);
}

function toEvent(name: string, id: string, state: State, terms: Terms): MembershipEvent {
  const email = readEmail(state.email ?? '');
  const standing = standingOf(state, terms);
  const paidUntil = standing === 'active' ? readUtc(state.nextChargeAt ?? '') : undefined;
  return {
    name,
    id,
    member: state.user,
    ...(email !== undefined && { email }),
    charged_at: readUtc(state.chargedAt ?? '') ?? null,
    standing,
    ...(paidUntil && { paid_until: paidUntil, grace_until: addDays(paidUntil, GRACE_DAYS) }),
  };
}

/** The status decides, not the event's name: Patreon sends no deletion for a member who cancels after paying. */
function standingOf({ patronStatus, chargeStatus, tiers, cents }: State, terms: Terms): Standing {
  if (REVERSED.has(chargeStatus ?? '')) return 'revoked';
  if (patronStatus !== 'active_patron' && patronStatus !== 'declined_patron') return 'cancelled';
  if (patronStatus === 'declined_patron' || !PAID.has(chargeStatus ?? '')) return 'undecided';
  return cents >= terms.minCents || tiers.some((tier) => terms.tiers.has(tier)) ? 'active' : 'unentitled';
}

function readRow(row: Row, terms: Terms): MembershipEvent | Ignored {
  const user = row['User ID']?.trim();
  if (!user || user.length > TEXT.maxLength)
    throw new RowError('"User ID" is empty, expected the id of a member');
  const state: State = {
    user,
    email: row.Email?.trim(),
    patronStatus: readStatus(row['Patron Status'] ?? ''),
    chargeStatus: row['Last Charge Status'],
    chargedAt: readTimeCell(row, 'Last Charge Date'),
    nextChargeAt: readTimeCell(row, 'Next Charge Date'),
    tiers: row.Tier ? [row.Tier.trim()] : [],
    cents: Math.round(Number(row['Pledge Amount'] ?? 0) * 100) || 0,
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
  throw new RowError(`"${column}" is ${JSON.stringify(cell)}, expected a time such as 2026-05-31 07:46:37`);
}
