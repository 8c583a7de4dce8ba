import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpProblem } from '../../../../gateway/http/problem.ts';
import { createKofi } from '../../../../gateway/people/membership/ko-fi.ts';
import type { MembershipEvent } from '../../../../gateway/people/membership/membership.ts';
import {
  type Environment,
  type Platform,
  RowError,
  SettingError,
} from '../../../../gateway/people/membership/platform.ts';
import { kofiBody, TOKEN } from './payloads.ts';

const test = suite('Ko-fi');
const NOW = Date.parse('2026-06-01T12:00:00Z');
const SETTINGS: Environment = {
  KOFI_VERIFICATION_TOKEN: TOKEN,
  KOFI_TIERS: 'Gold,Silver',
  KOFI_MIN_AMOUNT: '5 EUR,6.50 usd',
};

function read(body: string, settings = SETTINGS) {
  return createKofi(settings)?.readWebhook?.({}, Buffer.from(body), NOW);
}

function problem(code: string, detail: RegExp) {
  return (error: unknown) =>
    error instanceof HttpProblem && error.code === code && detail.test(error.message);
}

test('a payment counts for 35 days from the time of the webhook', () => {
  const event = read(kofiBody({ email: 'Jo@Example.org' })) as MembershipEvent;
  assert.equal(
    { ...event, member: '' },
    {
      name: 'payment',
      id: 'dfdb9b8d-1f77-45de-a7a6-dc597b76a53c',
      member: '',
      email: 'jo@example.org',
      charged_at: '2026-06-01T12:00:00.000Z',
      standing: 'active',
      paid_until: '2026-07-06T12:00:00.000Z',
    },
  );
  assert.is((read(kofiBody()) as MembershipEvent).member, event.member);
  assert.is.not((read(kofiBody({ email: 'bo@example.org' })) as MembershipEvent).member, event.member);
  assert.not.match(event.member, 'jo@');
});

test('a webhook without the right token is refused', () => {
  const wrong = [undefined, null, '', 0, true, [TOKEN], `${TOKEN} `, TOKEN.slice(1), TOKEN.toUpperCase()];
  for (const verification_token of wrong) {
    const refused = problem('invalid-signature', /verification_token/);
    assert.throws(() => read(kofiBody({ verification_token })), refused, String(verification_token));
  }
});

const NOT_PRO: [what: string, payment: Record<string, unknown>][] = [
  ['a tip', { is_subscription_payment: false, type: 'Donation', amount: '100.00' }],
  ['another tier with a smaller amount', { tier_name: 'Bronze', amount: '5.00' }],
  ['no tier with a smaller amount', { tier_name: null, amount: '6.49' }],
  ['another currency', { tier_name: null, amount: '500.00', currency: 'JPY' }],
  ['a payment without an email address', { email: '' }],
];
for (const [what, payment] of NOT_PRO) {
  test(`${what} buys nothing`, () => assert.ok('ignored' in (read(kofiBody(payment)) as object)));
}

const PRO: [what: string, payment: Record<string, unknown>][] = [
  ['a tier with any amount', { amount: '1.00', currency: 'JPY', tier_name: 'Silver' }],
  ['the amount of the currency', { tier_name: null, amount: '6.50' }],
  ['the amount of another currency', { tier_name: 'Bronze', amount: '5', currency: 'eur' }],
];
for (const [what, payment] of PRO) {
  test(`${what} buys Pro`, () => assert.is((read(kofiBody(payment)) as MembershipEvent).standing, 'active'));
}

test('a payload that Ko-fi never sends is refused with the place of the error', () => {
  const bodies: [string, RegExp][] = [
    ['', /is not a form with the field data/],
    ['data', /is not JSON/],
    ['data=%ff', /is not a form with the field data/],
    [kofiBody().slice(0, -10), /is not JSON/],
    ['message=x', /is not a form with the field data/],
    [kofiBody({ message_id: '' }), /message_id/],
    [kofiBody({ amount: 5 }), /amount/],
    [kofiBody({ amount: '1e9' }), /amount/],
    [kofiBody({ amount: '-5.00' }), /amount/],
    [kofiBody({ is_subscription_payment: 'true' }), /is_subscription_payment/],
    [kofiBody({ currency: null }), /currency/],
  ];
  for (const [body, detail] of bodies)
    assert.throws(() => read(body), problem('invalid-parameter', detail), body);
});

test('settings that are incomplete or malformed are refused', () => {
  assert.is(createKofi({ KOFI_VERIFICATION_TOKEN: '' }), undefined);
  assert.not('readWebhook' in (createKofi({ KOFI_TIERS: 'Gold' }) as object));
  const wrong = [
    { KOFI_VERIFICATION_TOKEN: TOKEN },
    { KOFI_MIN_AMOUNT: '5' },
    { KOFI_MIN_AMOUNT: '5 EUR;6 USD' },
  ];
  for (const settings of wrong) {
    assert.throws(
      () => createKofi(settings as Environment),
      (error: unknown) => error instanceof SettingError,
    );
  }
});

const ROW = {
  'DateTime (UTC)': '2026-06-01 12:00',
  From: 'Jo',
  Item: 'Gold',
  Received: '5.00',
  Currency: 'USD',
  TransactionType: 'Subscription',
  TransactionId: '00000000-1111',
  BuyerEmail: 'jo@example.org',
};

test('a row of the export counts from its own time, for the same member as the webhook', () => {
  const platform = createKofi(SETTINGS) as Platform;
  const event = platform.readRow(ROW) as MembershipEvent;
  assert.equal(
    [event.charged_at, event.paid_until],
    ['2026-06-01T12:00:00.000Z', '2026-07-06T12:00:00.000Z'],
  );
  assert.is(event.member, (read(kofiBody()) as MembershipEvent).member);
  for (const time of ['2026-06-01T12:00:00Z', '06/01/2026 12:00', '2026-06-01 12:00:00'])
    assert.equal(platform.readRow({ ...ROW, 'DateTime (UTC)': time }), event);
  assert.ok('ignored' in (platform.readRow({ ...ROW, TransactionType: 'Tip' }) as object));
});

test('the error of a row names the wrong cell', () => {
  const platform = createKofi(SETTINGS) as Platform;
  for (const change of [
    { 'DateTime (UTC)': '' },
    { 'DateTime (UTC)': '13/13/2026 12:00' },
    { Received: 'five' },
  ]) {
    const [column = ''] = Object.keys(change);
    assert.throws(
      () => platform.readRow({ ...ROW, ...change } as Record<string, string>),
      (error: unknown) => error instanceof RowError && error.message.includes(`"${column}"`),
    );
  }
});

test.run();
