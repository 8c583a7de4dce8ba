import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Row } from '../../../../gateway/people/membership/platform.ts';
import { createPatreon } from '../../../../gateway/people/membership/patreon.ts';
import { type Member, patreonHeaders, patreonPayload, SECRET } from './payloads.ts';

const NOW = Date.parse('2026-06-02T10:00:00Z');
const GOLD = [{ id: '7', title: 'Gold' }];
const SETTINGS = {
  PATREON_WEBHOOK_SECRET: SECRET,
  PATREON_MIN_CENTS: '500',
  PATREON_TIERS: 'Gold',
  PATREON_CURRENCY: 'USD',
};

const trials = suite('what Patreon may leave out');

/** A payload with some attributes changed, or left out if undefined. */
function payloadWith(member: Member, attributes: Record<string, unknown>): string {
  const payload = JSON.parse(patreonPayload(member));
  Object.assign(payload.data.attributes, attributes);
  return JSON.stringify(payload);
}

const WEBHOOKS: [
  what: string,
  Member,
  attributes: Record<string, unknown>,
  standing: string,
  until?: string,
][] = [
  ['a paid member', {}, {}, 'active', '2026-07-01T00:00:00.000Z'],
  ['no next charge', {}, { next_charge_date: null }, 'active', '2026-07-01T08:00:10.000Z'],
  ['an absent next charge', {}, { next_charge_date: undefined }, 'active', '2026-07-01T08:00:10.000Z'],
  [
    'a yearly renewal',
    { cents: 6000 },
    { next_charge_date: null, pledge_cadence: 12 },
    'active',
    '2027-06-01T08:00:10.000Z',
  ],
  ['no cadence', {}, { next_charge_date: null, pledge_cadence: null }, 'active', '2026-07-01T08:00:10.000Z'],
  [
    'a next charge that is over',
    {},
    { next_charge_date: '2026-05-01T00:00:00Z' },
    'active',
    '2026-07-01T08:00:10.000Z',
  ],
  [
    'the last day of a month',
    {},
    { last_charge_date: '2026-01-31T08:00:00Z', next_charge_date: null },
    'active',
    '2026-02-28T08:00:00.000Z',
  ],
  [
    'no charge date',
    {},
    { last_charge_date: null, next_charge_date: null },
    'active',
    '2026-07-02T10:00:00.000Z',
  ],
  [
    'a gift',
    { tiers: GOLD, charge: null, status: null, cents: 0 },
    { is_gifted: true, last_charge_date: null, next_charge_date: null },
    'active',
    '2027-06-02T10:00:00.000Z',
  ],
  [
    'a gift with an end',
    { tiers: GOLD, charge: null, status: null, cents: 0 },
    { is_gifted: true, last_charge_date: null },
    'active',
    '2026-07-01T00:00:00.000Z',
  ],
  [
    'a free trial',
    { tiers: GOLD, charge: null, cents: 0 },
    { is_free_trial: true, last_charge_date: null },
    'active',
    '2026-07-01T00:00:00.000Z',
  ],
  [
    'a gift that has ended',
    { charge: null, status: null, cents: 0 },
    { is_gifted: true, last_charge_date: null },
    'revoked',
  ],
  ['a year for less than the amount of a month', { cents: 500 }, { pledge_cadence: 12 }, 'unentitled'],
  [
    'no amount',
    { tiers: GOLD },
    { currently_entitled_amount_cents: null },
    'active',
    '2026-07-01T00:00:00.000Z',
  ],
  ['a declined charge', { status: 'declined_patron', charge: 'Declined' }, {}, 'undecided'],
  ['a charge that waits', { charge: 'Pending' }, {}, 'undecided'],
  ['no status', { status: null, charge: null }, {}, 'cancelled'],
  ['an absent status', {}, { patron_status: undefined, last_charge_status: undefined }, 'cancelled'],
  ['no email', { tiers: GOLD }, { email: null }, 'active', '2026-07-01T00:00:00.000Z'],
];

trials('decides the standing, the end and the reason of each webhook', () => {
  for (const [what, member, attributes, standing, until] of WEBHOOKS) {
    const body = payloadWith(member, attributes);
    const event = createPatreon(SETTINGS)?.readWebhook?.(patreonHeaders(body), Buffer.from(body), NOW);
    assert.ok(event && 'standing' in event, what);
    assert.equal([event.standing, event.paid_until], [standing, until], what);
    assert.is(event.reason === undefined, standing === 'active', `${what} has a reason if it is not Pro`);
  }
});

trials('accepts relationships and tiers that are null', () => {
  const payload = JSON.parse(patreonPayload());
  payload.data.relationships.currently_entitled_tiers = { data: null };
  payload.included = null;
  const body = JSON.stringify(payload);
  const event = createPatreon(SETTINGS)?.readWebhook?.(patreonHeaders(body), Buffer.from(body), NOW);
  assert.is(event && 'standing' in event && event.standing, 'active');
});

const ROW: Row = {
  'User ID': '1',
  Email: 'ada@example.org',
  'Patron Status': 'Active patron',
  'Last Charge Date': '2026-06-01 08:00:10',
  'Last Charge Status': 'Paid',
  'Next Charge Date': '',
  'Pledge Amount': '5.00',
  Currency: 'USD',
};
const ROWS: [what: string, changes: Row, expected: string | RegExp][] = [
  ['no next charge', {}, 'active'],
  ['a year', { 'Charge Frequency': 'Annual', 'Pledge Amount': '60.00' }, 'active'],
  ['a year for the amount of a month', { 'Charge Frequency': 'Annual' }, 'unentitled'],
  ['another currency', { Currency: 'JPY', 'Pledge Amount': '600' }, 'unentitled'],
  [
    'thousands',
    { 'Pledge Amount': '1,000.00' },
    /"Pledge Amount" is "1,000.00", expected an amount such as 5.00/,
  ],
  ['a currency sign', { 'Pledge Amount': '$5.00' }, /"Pledge Amount" is "\$5.00"/],
];

trials('decides each row of an export', () => {
  for (const [what, changes, expected] of ROWS) {
    const read = () => createPatreon(SETTINGS)?.readRow({ ...ROW, ...changes });
    if (expected instanceof RegExp) {
      assert.throws(read, expected);
      continue;
    }
    const event = read();
    assert.ok(event && 'standing' in event, what);
    assert.is(event.standing, expected, what);
    if (what === 'another currency') assert.match(event.reason ?? '', 'in JPY, not in USD');
  }
});

trials.run();
