import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpProblem, InputError } from '../../../gateway/http/problem.ts';
import type { MembershipEvent } from '../../../gateway/people/membership/membership.ts';
import { type Environment, readExport, rowOf } from '../../../gateway/people/membership/platform.ts';
import { readPlatforms } from '../../../gateway/people/membership/webhooks.ts';
import { toIso } from '../../../gateway/store/accounts.ts';
import { CommandError } from '../../../scripts/system.ts';
import { kofiBody, type Member, patreonHeaders, patreonPayload, SECRET, TOKEN } from './payloads.ts';

const NOW = Date.parse('2026-06-02T10:00:00Z');
const GOLD = [{ id: '7', title: 'Gold' }];
const SETTINGS = {
  PATREON_WEBHOOK_SECRET: SECRET,
  PATREON_MIN_CENTS: '500',
  PATREON_TIERS: 'Gold, 8348592',
  PATREON_CURRENCY: 'USD',
  KOFI_VERIFICATION_TOKEN: TOKEN,
  KOFI_TIERS: 'Gold,Silver',
  KOFI_MIN_AMOUNT: '5 EUR,6.50 usd',
};

const test = suite('platforms of memberships');

function platform(name: string, settings: Environment = SETTINGS) {
  const found = readPlatforms(settings).find((each) => each.name === name);
  if (!found?.readWebhook) throw new Error(`${name} is not configured`);
  return { ...found, readWebhook: found.readWebhook };
}

function readPatreon(body: string, settings?: Environment): MembershipEvent {
  const event = platform('patreon', settings).readWebhook(patreonHeaders(body), Buffer.from(body), NOW);
  assert.ok('standing' in event);
  return event as MembershipEvent;
}

/** A payload with some attributes changed, or left out if undefined. */
function payloadWith(member: Member, attributes: Record<string, unknown> = {}): string {
  const payload = JSON.parse(patreonPayload(member));
  Object.assign(payload.data.attributes, attributes);
  return JSON.stringify(payload);
}

function readKofi(payment: Record<string, unknown> | string = {}) {
  const body = typeof payment === 'string' ? payment : kofiBody(payment);
  return platform('ko-fi').readWebhook({}, Buffer.from(body), NOW);
}

function problem(code: string, detail: RegExp) {
  return (error: unknown) =>
    error instanceof HttpProblem && error.code === code && detail.test(error.message);
}

/** 35 days after the payment of `kofiBody`. */
const DAYS_35 = Date.parse('2026-07-06T12:00:00Z');
const JULY = '2026-07-01T00:00:00.000Z';
const MONTH_LATER = '2026-07-01T08:00:10.000Z';
const NO_CHARGE = { last_charge_date: null, next_charge_date: null };
/** What each combination of Patreon's attributes, of which its documentation allows most to be null or absent, means. */
const GIFT = { tiers: GOLD, charge: null, status: null, cents: 0 };
const YEAR = { next_charge_date: null, pledge_cadence: 12 };
const MEMBERS: [what: string, Member, attributes: object, standing: string, until?: string][] = [
  ['a paid member', {}, {}, 'active', JULY],
  ['no next charge', {}, { next_charge_date: null }, 'active', MONTH_LATER],
  ['an absent next charge', {}, { next_charge_date: undefined }, 'active', MONTH_LATER],
  ['a year', { cents: 6000 }, YEAR, 'active', '2027-06-01T08:00:10.000Z'],
  ['no cadence', {}, { ...YEAR, pledge_cadence: null }, 'active', MONTH_LATER],
  ['an absent cadence', {}, { ...YEAR, pledge_cadence: undefined }, 'active', MONTH_LATER],
  ['a next charge that is over', {}, { next_charge_date: '2026-05-01T00:00:00Z' }, 'active', MONTH_LATER],
  ['no charge date', {}, NO_CHARGE, 'active', '2026-07-02T10:00:00.000Z'],
  ['a gift', GIFT, { is_gifted: true, ...NO_CHARGE }, 'active', '2027-06-02T10:00:00.000Z'],
  ['a gift with an end', GIFT, { is_gifted: true, last_charge_date: null }, 'active', JULY],
  ['a trial', GIFT, { is_free_trial: true, last_charge_date: null }, 'active', JULY],
  ['a paid trial', { charge: 'Free Trial', chargedAt: null }, {}, 'active', JULY],
  ['a gift that ended', { ...GIFT, tiers: [] }, { is_gifted: true, ...NO_CHARGE }, 'revoked'],
  ['gift and trial null', {}, { is_gifted: null, is_free_trial: null }, 'active', JULY],
  ['a year for the amount of a month', { cents: 500 }, { pledge_cadence: 12 }, 'unentitled'],
  ['a smaller amount', { cents: 499 }, {}, 'unentitled'],
  ['another tier', { cents: 100, tiers: [{ id: '1', title: 'Tip jar' }] }, {}, 'unentitled'],
  ['a tier by its id', { cents: 100, tiers: [{ id: '8348592', title: 'Anything' }] }, {}, 'active', JULY],
  ['no amount', { tiers: GOLD }, { currently_entitled_amount_cents: null }, 'active', JULY],
  ['no amount and no tier', {}, { currently_entitled_amount_cents: undefined }, 'unentitled'],
  ['a declined charge', { status: 'declined_patron', charge: 'Declined' }, {}, 'undecided'],
  ['a charge that waits', { charge: 'Pending' }, {}, 'undecided'],
  ['no charge status', { charge: null }, {}, 'undecided'],
  ['a former patron', { status: 'former_patron' }, {}, 'cancelled'],
  ['no status', { status: null, charge: null }, {}, 'cancelled'],
  ['an absent status', {}, { patron_status: undefined, last_charge_status: undefined }, 'cancelled'],
  ['a refund', { charge: 'Refunded' }, {}, 'revoked'],
  ['a fraud', { charge: 'Fraud', status: 'former_patron' }, {}, 'revoked'],
  ['no email', { tiers: GOLD }, { email: null }, 'active', JULY],
  ['an absent email', { tiers: GOLD }, { email: undefined }, 'active', JULY],
];
for (const [what, member, attributes, standing, until] of MEMBERS)
  test(`Patreon: ${what} is ${standing}`, () => {
    const event = readPatreon(payloadWith(member, attributes as Record<string, unknown>));
    const end = event.paid && toIso(event.paid.until);
    assert.equal([event.standing, end], [standing, until ?? null]);
    assert.is(event.reason === undefined, standing === 'active', 'it has a reason if it is not Pro');
  });

test('Patreon: a payload is read into an event', () => {
  const event = readPatreon(patreonPayload({ email: 'Ada@Bücher.example' }));
  assert.equal(event, {
    ...{ name: 'members:update', member: '719414', email: 'ada@xn--bcher-kva.example', standing: 'active' },
    ...{ charged_at: Date.parse('2026-06-01T08:00:10Z'), reason: undefined },
    paid: { until: Date.parse(JULY), grace: Date.parse('2026-07-08') },
  });
});

test('Patreon: relationships and tiers may be null, and tiers that are not the member’s do not count', () => {
  const payload = JSON.parse(patreonPayload({ cents: 0, tiers: GOLD }));
  for (const [tiers, included] of [
    [{ data: [] }, payload.included],
    [{ data: null }, null],
    [null, undefined],
  ]) {
    payload.data.relationships.currently_entitled_tiers = tiers;
    assert.is(readPatreon(JSON.stringify({ ...payload, included })).standing, 'unentitled');
  }
});

test('Patreon: if only one of tier and amount is configured, it alone decides', () => {
  const { PATREON_TIERS, PATREON_MIN_CENTS, ...bare } = SETTINGS;
  const tier = patreonPayload({ cents: 100, tiers: GOLD });
  assert.is(readPatreon(tier, { ...bare, PATREON_MIN_CENTS }).standing, 'unentitled');
  assert.is(readPatreon(patreonPayload(), { ...bare, PATREON_TIERS }).standing, 'unentitled');
});

test('Patreon: a body that is not signed with the secret is refused', () => {
  const body = patreonPayload();
  const right = patreonHeaders(body)['x-patreon-signature'] as string;
  const read = (text: string, signature: string | undefined) => {
    const headers = { ...patreonHeaders(body), 'x-patreon-signature': signature };
    return platform('patreon').readWebhook(headers, Buffer.from(text), NOW);
  };
  const other = patreonHeaders(body, '', 'another secret')['x-patreon-signature'];
  const wrong = [
    undefined,
    '',
    '0'.repeat(32),
    right.slice(0, -1),
    `${right}0`,
    `${right}, ${right}`,
    'é',
    other,
  ];
  const refused = problem('invalid-link', /X-Patreon-Signature/);
  for (const signature of wrong) assert.throws(() => read(body, signature), refused, String(signature));
  for (const text of [`${body} `, body.slice(0, -1), '']) assert.throws(() => read(text, right), refused);
  assert.ok('standing' in read(body, right.toUpperCase()));
  for (const event of ['posts:publish', 'pledges:create', '', 'members:'.padEnd(100, 'x')])
    assert.ok(
      'ignored' in platform('patreon').readWebhook(patreonHeaders('{}', event), Buffer.from('{}'), NOW),
    );
});

test('Patreon: a payload that it never sends is refused with the place of the error', () => {
  const bodies: [string, RegExp][] = [
    ['', /is not JSON/],
    ['[]', /has "" at data\.relationships\.user\.data\.id/],
    ['{"data": null}', /has "" at data\.relationships\.user\.data\.id/],
    [payloadWith({}, { last_charge_date: 'soon' }), /last_charge_date, not a time/],
    [payloadWith({}, { next_charge_date: 12 }), /next_charge_date, not a time/],
    [payloadWith({ user: '' }), /user\.data\.id/],
  ];
  for (const [body, detail] of bodies)
    assert.throws(() => readPatreon(body), problem('invalid-parameter', detail), body);
});

const PAYMENTS: [what: string, payment: Record<string, unknown>, buysPro: boolean][] = [
  ['a tier with any amount', { amount: '1.00', currency: 'JPY', tier_name: 'Silver' }, true],
  ['the amount of the currency', { tier_name: null, amount: '6.50' }, true],
  ['the amount of another currency', { tier_name: 'Bronze', amount: '5', currency: 'eur' }, true],
  ['a tip', { is_subscription_payment: false, type: 'Donation', amount: '100.00' }, false],
  ['another tier with a smaller amount', { tier_name: 'Bronze', amount: '5.00' }, false],
  ['no tier with a smaller amount', { tier_name: null, amount: '6.49' }, false],
  ['an absent tier', { tier_name: undefined, amount: '6.49' }, false],
  ['an unknown currency', { tier_name: null, amount: '500.00', currency: 'JPY' }, false],
  ['an empty email address', { email: '' }, false],
  ['no email address', { email: null }, false],
];
for (const [what, payment, buysPro] of PAYMENTS)
  test(`Ko-fi: ${what} ${buysPro ? 'buys Pro' : 'buys nothing'}`, () =>
    assert.is('standing' in readKofi(payment), buysPro));

test('Ko-fi: a payment counts for 35 days, for the member of its email address', () => {
  const { member, ...event } = readKofi({ email: 'Jo@Example.org' }) as MembershipEvent;
  assert.equal(event, {
    ...{ name: 'payment', email: 'jo@example.org' },
    ...{ charged_at: Date.parse('2026-06-01T12:00:00Z'), standing: 'active' },
    paid: { until: DAYS_35, grace: DAYS_35 },
  });
  assert.is((readKofi() as MembershipEvent).member, member);
  assert.is.not((readKofi({ email: 'bo@example.org' }) as MembershipEvent).member, member);
  assert.not.match(member, 'jo@');
});

test('Ko-fi: a webhook without the right token, or that it never sends, is refused', () => {
  const wrong = [undefined, null, '', 0, true, [TOKEN], TOKEN.slice(1), TOKEN.toUpperCase()];
  for (const verification_token of wrong)
    assert.throws(() => readKofi({ verification_token }), problem('invalid-link', /verification_token/));
  const bodies: [Record<string, unknown> | string, RegExp][] = [
    ['', /is not a form with the field data/],
    ['data=%ff', /is not a form with the field data/],
    ['data', /is not JSON/],
    [{ timestamp: '' }, /timestamp/],
    [{ amount: 5 }, /amount/],
    [{ amount: '-5.00' }, /amount/],
    [{ amount: '1,000.00' }, /amount/],
    [{ currency: null }, /currency/],
  ];
  for (const [body, detail] of bodies)
    assert.throws(() => readKofi(body), problem('invalid-parameter', detail), JSON.stringify(body));
});

test('settings that are incomplete or malformed are refused', () => {
  assert.equal(readPlatforms({ PATREON_WEBHOOK_SECRET: '', KOFI_VERIFICATION_TOKEN: '' }), []);
  for (const settings of [{ PATREON_TIERS: 'Gold' }, { KOFI_TIERS: 'Gold' }])
    assert.is(readPlatforms(settings)[0]?.readWebhook, undefined);
  for (const settings of [
    { PATREON_WEBHOOK_SECRET: SECRET },
    { PATREON_MIN_CENTS: '5.00' },
    { PATREON_MIN_CENTS: '0' },
    { KOFI_VERIFICATION_TOKEN: TOKEN },
    { KOFI_MIN_AMOUNT: '5' },
    { KOFI_MIN_AMOUNT: '5 EUR;6 USD' },
  ])
    assert.throws(
      () => readPlatforms(settings as Environment),
      (error: unknown) => error instanceof CommandError,
    );
});

const PATREON_ROW = {
  ...{
    'User ID': '719414',
    Email: 'ada@example.org',
    'Patron Status': 'Active patron',
    Tier: '',
    Currency: 'USD',
  },
  ...{ 'Last Charge Date': '2026-06-01 08:00:10', 'Last Charge Status': 'Paid', 'Pledge Amount': '5.00' },
  'Next Charge Date': '2026-07-01 00:00:00',
};
const KOFI_ROW = {
  ...{ 'DateTime (UTC)': '2026-06-01 12:00', Item: 'Gold', Received: '5.00', Currency: 'USD' },
  ...{ TransactionType: 'Subscription', TransactionId: '00000000-1111', BuyerEmail: 'jo@example.org' },
};
const ROWS: [
  'patreon' | 'ko-fi',
  what: string,
  changes: Record<string, string>,
  expected: string | RegExp,
][] = [
  ['patreon', 'a paid member', {}, 'active'],
  ['patreon', 'no next charge', { 'Next Charge Date': '' }, 'active'],
  ['patreon', 'a year', { 'Charge Frequency': 'Annual', 'Pledge Amount': '60.00' }, 'active'],
  ['patreon', 'a year for the amount of a month', { 'Charge Frequency': 'Annual' }, 'unentitled'],
  ['patreon', 'a tier', { 'Pledge Amount': '1.00', Tier: 'Gold' }, 'active'],
  ['patreon', 'another currency', { Currency: 'JPY', 'Pledge Amount': '600' }, 'unentitled'],
  ['patreon', 'a former patron', { 'Patron Status': 'Former patron' }, 'cancelled'],
  ['patreon', 'no status', { 'Patron Status': '', 'Last Charge Status': '' }, 'cancelled'],
  ['patreon', 'a declined patron', { 'Patron Status': 'Declined patron' }, 'undecided'],
  ['patreon', 'a refund', { 'Last Charge Status': 'Refunded' }, 'revoked'],
  [
    'patreon',
    'thousands',
    { 'Pledge Amount': '1,000.00' },
    /"Pledge Amount" is "1,000.00", expected an amount/,
  ],
  ['patreon', 'a currency sign', { 'Pledge Amount': '$5.00' }, /"Pledge Amount" is "\$5.00"/],
  ['patreon', 'no user', { 'User ID': '' }, /"User ID" is ""/],
  ['patreon', 'a wrong time', { 'Last Charge Date': 'yesterday' }, /"Last Charge Date" is "yesterday"/],
  ['patreon', 'a local time', { 'Next Charge Date': '01/07/2026' }, /"Next Charge Date"/],
  ['ko-fi', 'a payment', {}, 'active'],
  ['ko-fi', 'a time in the American form', { 'DateTime (UTC)': '06/01/2026 12:00' }, 'active'],
  ['ko-fi', 'a tip', { TransactionType: 'Tip' }, 'ignored'],
  ['ko-fi', 'no time', { 'DateTime (UTC)': '' }, /"DateTime \(UTC\)" is ""/],
  ['ko-fi', 'a wrong time', { 'DateTime (UTC)': '13/13/2026 12:00' }, /"DateTime/],
  ['ko-fi', 'thousands', { Received: '1,000.00' }, /"Received" is "1,000.00", expected an amount/],
  ['ko-fi', 'a currency sign', { Received: '$5.00' }, /"Received" is "\$5.00"/],
];
for (const [name, what, changes, expected] of ROWS)
  test(`${name}: a row with ${what} is ${expected instanceof RegExp ? 'refused' : expected}`, () => {
    const read = () =>
      platform(name).readRow(rowOf({ ...(name === 'patreon' ? PATREON_ROW : KOFI_ROW), ...changes }));
    if (expected instanceof RegExp)
      return assert.throws(
        read,
        (error: unknown) => error instanceof InputError && expected.test(error.message),
      );
    const event = read();
    assert.is('standing' in event ? event.standing : 'ignored', expected);
    if (what === 'another currency')
      assert.match((event as MembershipEvent).reason ?? '', 'in JPY, not in USD');
  });

test('a row of an export is the same event as a webhook', () => {
  const { name: _, ...row } = platform('patreon').readRow(rowOf(PATREON_ROW)) as MembershipEvent;
  const { name: __, ...webhook } = readPatreon(patreonPayload());
  assert.equal(row, webhook);
  const payment = platform('ko-fi').readRow(rowOf(KOFI_ROW)) as MembershipEvent;
  assert.is(payment.member, (readKofi() as MembershipEvent).member);
  assert.equal([payment.charged_at, payment.paid?.until], [Date.parse('2026-06-01T12:00:00Z'), DAYS_35]);
});

const PATREON = `User ID,Email,Patron Status,Pledge Amount,Last Charge Date,Last Charge Status,Next Charge Date
1,ada@example.org,Active patron,5.00,2030-06-01 08:00:10,Paid,2030-07-01 00:00:00
2,bob@example.org,Former patron,5.00,2030-05-01 08:00:10,Paid,
`;
const KOFI = `DateTime (UTC),From,Message,Item,Received,Given,Currency,TransactionType,TransactionId,Reference,SalesTax,BuyerEmail
2030-05-01 10:00,Jo,"Thanks,
a lot",Gold,5.00,,USD,Subscription,t1,,0,jo@example.org
2030-06-01 10:00,Jo,,Gold,5.00,,USD,Subscription,t2,,0,jo@example.org
2030-06-02 10:00,Kim,,Ko-fi Support,50.00,,USD,Tip,t3,,0,kim@example.org
`;

test('an export may have a byte order mark, any line ends, additional columns, and rows that do not buy Pro', () => {
  const read = (name: string, text: string) => readExport(platform(name), Buffer.from(text));
  const { members, ignored } = read('ko-fi', KOFI);
  const [payments] = members.values();
  assert.equal([members.size, ignored, payments?.length], [1, 1, 2]);
  const plain = read('patreon', PATREON);
  assert.equal([...plain.members.keys()], ['1', '2']);
  const other = PATREON.replaceAll(/\n(?!$)/g, ',more\r\n').replace(/\n$/, ',more\r\n\r\n');
  assert.equal(read('patreon', `\uFEFF${other}`), plain);
  for (const [name, text, message] of [
    ['patreon', KOFI, /^it has no column "Email", "Patron Status".*expected the member export of patreon/],
    ['patreon', '', /^it has no column "Email"/],
    ['patreon', `${PATREON}3,cay@exam`, /Invalid Record Length.*on line 4/],
    ['ko-fi', KOFI.replace('t2', '"t2'), /Quote/],
    [
      'ko-fi',
      KOFI.replace('5.00,,USD,Subscription,t2', 'lots,,USD,Subscription,t2'),
      /^line 4: "Received" is "lots"/,
    ],
    [
      'patreon',
      PATREON.replaceAll('08:00:10', 'soon'),
      /^line 2: .*"2030-06-01 soon".*\nline 3: .*"2030-05-01 soon"/,
    ],
    ['patreon', PATREON + 'x,,,,soon,,\n'.repeat(12), /^line 4: .*\n.*line 13: [^\n]*$/s],
  ] as const) {
    const isRight = (error: unknown) => error instanceof InputError && message.test(error.message);
    assert.throws(() => read(name, text), isRight, String(message));
  }
});

test.run();
