import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InputError } from '../../../gateway/http/problem.ts';
import { type Environment, type Platform, readExport } from '../../../gateway/people/membership/platform.ts';
import { readPlatforms } from '../../../gateway/people/membership/webhooks.ts';
import { CommandError } from '../../../scripts/system.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import {
  kofiBody,
  type Member,
  patreonHeaders,
  patreonPayload,
  PLATFORM_SETTINGS,
  SECRET,
  TOKEN,
} from './payloads.ts';
import { SECRET_KEY } from '../store/engines.ts';
import { startWorld, type World } from './world.ts';

const NOW = Date.parse('2026-06-02T10:00:00Z');
const GOLD = [{ id: '7', title: 'Gold' }];

interface Context {
  world: World;
  /** Sends a webhook. @returns the status, and the code and detail of the problem, if any */
  send(platform: string, body: string, headers: Record<string, string>): Promise<(number | string)[]>;
  /** Runs `gateway members`. */
  members(...args: string[]): ReturnType<typeof runInProcess>;
  /** Lists the memberships in the store, by their email addresses. */
  list(): Promise<Map<string, Listed>>;
}

type Listed = Record<'email' | 'member' | 'standing', string> &
  Record<'charged_at' | 'pro_until' | 'reason', string | null>;

const test = suite<Context>('platforms of memberships');
test.before.each(async (context) => {
  const world = await startWorld();
  context.world = world;
  world.gateway.clock.now = NOW;
  context.send = async (platform, body, headers) => {
    const url = `${world.gateway.address}/webhooks/${platform}`;
    const response = await fetch(url, { method: 'POST', body, headers });
    const text = await response.text();
    return text === ''
      ? [response.status]
      : [response.status, JSON.parse(text).code, JSON.parse(text).detail];
  };
  const env = { ...PLATFORM_SETTINGS, GATEWAY_STORE: world.folder, GATEWAY_SECRET_KEY: SECRET_KEY };
  context.members = (...args) => runInProcess('gateway', ['members', ...args], { env });
  context.list = async () => {
    const listed: Listed[] = JSON.parse((await context.members('list', '--json')).stdout);
    return new Map(listed.map((each) => [each.email, each]));
  };
});
test.after.each(({ world }) => world.stop());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A payload with some attributes changed, or left out if undefined. */
function payloadWith(member: Member, attributes: object = {}): string {
  const payload = JSON.parse(patreonPayload(member));
  Object.assign(payload.data.attributes, attributes);
  return JSON.stringify(payload);
}

const JULY = '2026-07-01T00:00:00.000Z';
const MONTH_LATER = '2026-07-01T08:00:10.000Z';
const NO_CHARGE = { last_charge_date: null, next_charge_date: null };
const GIFT = { tiers: GOLD, charge: null, status: null, cents: 0 };
const LAST_DAY = { last_charge_date: '2026-01-31T08:00:00Z', next_charge_date: null };
const YEAR = { next_charge_date: null, pledge_cadence: 12 };
/** What each combination of Patreon's attributes, of which its documentation allows most to be null or absent, means. */
const MEMBERS: [what: string, Member, attributes: object, standing: string, until?: string][] = [
  ['a paid member', {}, {}, 'active', JULY],
  ['no next charge', {}, { next_charge_date: null }, 'active', MONTH_LATER],
  ['an absent next charge', {}, { next_charge_date: undefined }, 'active', MONTH_LATER],
  ['a year', { cents: 6000 }, YEAR, 'active', '2027-06-01T08:00:10.000Z'],
  ['a month without that day', {}, LAST_DAY, 'active', '2026-02-28T08:00:00.000Z'],
  ['no cadence', {}, { ...YEAR, pledge_cadence: null }, 'active', MONTH_LATER],
  ['an absent cadence', {}, { ...YEAR, pledge_cadence: undefined }, 'active', MONTH_LATER],
  ['a next charge that is over', {}, { next_charge_date: '2026-05-01T00:00:00Z' }, 'active', MONTH_LATER],
  ['no charge date', {}, NO_CHARGE, 'active', '2026-07-02T10:00:00.000Z'],
  ['a gift', GIFT, { is_gifted: true, ...NO_CHARGE }, 'given', '2027-06-02T10:00:00.000Z'],
  ['a gift with an end', GIFT, { is_gifted: true, last_charge_date: null }, 'given', JULY],
  ['a trial', GIFT, { is_free_trial: true, ...NO_CHARGE }, 'given', '2026-07-02T10:00:00.000Z'],
  ['the trial of a year', { charge: 'Free Trial', cents: 6000 }, YEAR, 'given', MONTH_LATER],
  ['a gift that ended', { ...GIFT, tiers: [] }, { is_gifted: true }, 'revoked'],
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
  ['a refund by Patreon', { charge: 'Refunded by Patreon' }, {}, 'revoked'],
  ['a fraud', { charge: 'Fraud', status: 'former_patron' }, {}, 'revoked'],
];
test('Patreon: each field may be null or absent as documented; the list says why a member is not Pro', async (context) => {
  for (const [at, [what, member, attributes]] of MEMBERS.entries()) {
    const body = payloadWith({ ...member, email: `${at}@example.org`, user: `${at}` }, attributes);
    assert.equal(await context.send('patreon', body, patreonHeaders(body)), [204], what);
  }
  const listed = await context.list();
  for (const [at, [what, , , standing, until]] of MEMBERS.entries()) {
    const { pro_until, reason, ...found }: Partial<Listed> = listed.get(`${at}@example.org`) ?? {};
    const grace = until === undefined ? null : Date.parse(until) + 7 * 86_400_000;
    assert.equal([found.standing, pro_until && Date.parse(pro_until)], [standing, grace], what);
    assert.is(reason === null, /active|given/.test(standing), `${what}: ${reason}`);
  }
  for (const email of [null, undefined]) {
    const body = payloadWith({ user: 'nobody' }, { email });
    assert.equal(await context.send('patreon', body, patreonHeaders(body)), [204]);
  }
});

test('Patreon: relationships and tiers may be null, and tiers that are not the member’s do not count', async ({
  send,
  list,
}) => {
  const payload = JSON.parse(patreonPayload({ cents: 0, tiers: GOLD }));
  for (const [tiers, included] of [
    [{ data: [] }, payload.included],
    [{ data: null }, null],
    [null, undefined],
  ]) {
    payload.data.relationships.currently_entitled_tiers = tiers;
    const body = JSON.stringify({ ...payload, included });
    assert.equal(await send('patreon', body, patreonHeaders(body)), [204]);
    assert.is((await list()).get('ada@example.org')?.standing, 'unentitled');
  }
});

test('Patreon: a body that is not signed with the secret, or that it never sends, is refused', async ({
  send,
  list,
}) => {
  const body = patreonPayload();
  const right = patreonHeaders(body)['x-patreon-signature'] ?? '';
  const other = patreonHeaders(body, '', 'another secret')['x-patreon-signature'] ?? '';
  const wrong = ['', '0'.repeat(32), right.slice(0, -1), `${right}0`, `${right}, ${right}`, other];
  const sendSigned = (text: string, signature: string) =>
    send('patreon', text, { ...patreonHeaders(text), 'x-patreon-signature': signature });
  for (const [text, signature] of [
    ...wrong.map((each): [string, string] => [body, each]),
    ...[`${body} `, body.slice(0, -1)].map((each): [string, string] => [each, right]),
  ])
    assert.equal((await sendSigned(text, signature)).slice(0, 2), [403, 'invalid-link'], signature);
  const bodies: [string, RegExp][] = [
    ['', /is not JSON/],
    ['[]', /has "" at data\.relationships\.user\.data\.id/],
    ['{"data": null}', /has "" at data\.relationships\.user\.data\.id/],
    [payloadWith({}, { last_charge_date: 'soon' }), /last_charge_date, not a time/],
    [payloadWith({}, { next_charge_date: 12 }), /next_charge_date, not a time/],
  ];
  for (const [text, detail] of bodies) {
    const [status, code, found] = await send('patreon', text, patreonHeaders(text));
    assert.equal([status, code], [400, 'invalid-parameter'], text);
    assert.match(String(found), detail);
  }
  for (const event of ['posts:publish', 'pledges:create', '', 'members:'.padEnd(100, 'x')])
    assert.equal(await send('patreon', '{}', patreonHeaders('{}', event)), [204], event);
  assert.is((await list()).size, 0);
  assert.equal(await sendSigned(body, right.toUpperCase()), [204]);
  assert.is((await list()).size, 1);
});

test('forged webhooks are refused and logged 60 times a minute, and genuine ones go on', async (context) => {
  const { send, world } = context;
  const body = patreonPayload();
  const statuses = [];
  for (let sent = 0; sent < 62; sent++) statuses.push((await send('patreon', body, {}))[0]);
  assert.equal(statuses, [...Array(60).fill(403), 429, 429]);
  assert.is(world.gateway.logged.filter((line) => line.includes('a webhook was refused')).length, 60);
  assert.equal(await send('patreon', body, patreonHeaders(body)), [204]);
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
];
test('Ko-fi: a tier or an amount of its currency buys Pro for 35 days, for the member of the email address', async ({
  send,
  list,
}) => {
  for (const [at, [what, payment]] of PAYMENTS.entries()) {
    const body = kofiBody({ ...payment, email: `Jo${at}@Example.org` });
    assert.equal(await send('ko-fi', body, FORM), [204], what);
  }
  for (const email of ['', null]) assert.equal(await send('ko-fi', kofiBody({ email }), FORM), [204]);
  const listed = await list();
  const buying = PAYMENTS.flatMap(([, , buysPro], at) => (buysPro ? `jo${at}@example.org` : []));
  assert.equal([...listed.keys()].sort(), buying);
  for (const { member, pro_until } of listed.values()) {
    assert.is(pro_until, '2026-07-06T12:00:00.000Z');
    assert.match(member, /^ko-fi:[\w-]{22}$/);
  }
});

test('Ko-fi: a webhook without the right token, or that it never sends, is refused', async ({
  send,
  list,
}) => {
  const wrong = [undefined, null, '', 0, true, [TOKEN], TOKEN.slice(1), TOKEN.toUpperCase()];
  for (const verification_token of wrong)
    assert.equal((await send('ko-fi', kofiBody({ verification_token }), FORM)).slice(0, 2), [
      403,
      'invalid-link',
    ]);
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
  for (const [changes, detail] of bodies) {
    const body = typeof changes === 'string' ? changes : kofiBody(changes);
    const [status, code, found] = await send('ko-fi', body, FORM);
    assert.equal([status, code], [400, 'invalid-parameter'], body);
    assert.match(String(found), detail);
  }
  assert.is((await list()).size, 0);
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
  'User ID': '719414',
  Email: 'ada@example.org',
  'Patron Status': 'Active patron',
  Tier: '',
  Currency: 'USD',
  'Last Charge Date': '2026-06-01 08:00:10',
  'Last Charge Status': 'Paid',
  'Pledge Amount': '5.00',
  'Next Charge Date': '2026-07-01 00:00:00',
};
const KOFI_ROW = {
  'DateTime (UTC)': '2026-06-01 12:00',
  Item: 'Gold',
  Received: '5.00',
  Currency: 'USD',
  TransactionType: 'Subscription',
  TransactionId: '00000000-1111',
  BuyerEmail: 'jo@example.org',
};
/** A platform, what is special about a row, its cells, and the standing or the error that it gives. */
const ROWS: ['patreon' | 'ko-fi', string, Record<string, string>, string | RegExp][] = [
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
const emailOf = (what: string) => `${what.toLowerCase().replaceAll(' ', '-')}@example.org`;

for (const [name, column] of [
  ['patreon', 'Email'],
  ['ko-fi', 'BuyerEmail'],
] as const)
  test(`${name}: each row of an export is imported like a webhook, or refused with its line`, async ({
    world,
    members,
    list,
  }) => {
    const base: Record<string, string> = name === 'patreon' ? PATREON_ROW : KOFI_ROW;
    const columns = [...Object.keys(base), 'Charge Frequency'];
    const rows = ROWS.filter(([platform]) => platform === name);
    const importRows = async (chosen: typeof rows) => {
      const cells = chosen.map(([, what, changes], at) => {
        const user = name === 'patreon' && { 'User ID': String(at) };
        const row: Record<string, string> = { ...base, ...user, [column]: emailOf(what), ...changes };
        return columns.map((each) => `"${row[each] ?? ''}"`).join(',');
      });
      const file = path.join(world.folder, '..', `${name}.csv`);
      await writeFile(file, [columns.join(','), ...cells].join('\n'));
      return await members('import', file, '--platform', name);
    };
    const right = rows.filter(([, , , expected]) => typeof expected === 'string');
    assert.is((await importRows(right)).code, 0);
    const listed = await list();
    for (const [, what, , expected] of right) {
      const found = listed.get(emailOf(what));
      assert.is(found?.standing ?? 'ignored', expected, what);
      if (what === 'another currency') assert.match(found?.reason ?? '', 'in JPY, not in USD');
    }
    const wrong = rows.filter(([, , , expected]) => expected instanceof RegExp);
    const { code, stderr } = await importRows(wrong);
    assert.equal([code, /nothing was changed/.test(stderr)], [1, true]);
    const lines = stderr.split('\n').filter((line) => line.startsWith('line '));
    assert.is(lines.length, wrong.length);
    for (const [at, [, what, , expected]] of wrong.entries())
      assert.match(lines[at] ?? '', new RegExp(`^line ${at + 2}: .*${(expected as RegExp).source}`), what);
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
  const platforms = readPlatforms(PLATFORM_SETTINGS);
  const read = (name: string, text: string) => {
    const [platform] = platforms.filter((each) => each.name === name) as [Platform];
    return readExport(platform, Buffer.from(text));
  };
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
