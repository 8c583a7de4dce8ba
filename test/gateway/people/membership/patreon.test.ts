import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpProblem } from '../../../../gateway/http/problem.ts';
import type { MembershipEvent, Standing } from '../../../../gateway/people/membership/membership.ts';
import { createPatreon } from '../../../../gateway/people/membership/patreon.ts';
import {
  type Environment,
  type Platform,
  RowError,
  SettingError,
} from '../../../../gateway/people/membership/platform.ts';
import { type Member, patreonHeaders, patreonPayload, SECRET } from './payloads.ts';

const test = suite('Patreon');
const SETTINGS: Environment = {
  PATREON_WEBHOOK_SECRET: SECRET,
  PATREON_TIERS: '8348592, VIP Member',
  PATREON_MIN_CENTS: '500',
};

function read(body: string | Buffer, headers = patreonHeaders(String(body)), settings = SETTINGS) {
  return createPatreon(settings)?.readWebhook?.(headers, Buffer.from(body), 0);
}

function readMember(member: Member, settings = SETTINGS): MembershipEvent {
  const body = patreonPayload(member);
  return read(body, patreonHeaders(body), settings) as MembershipEvent;
}

function problem(code: string, detail: RegExp) {
  return (error: unknown) =>
    error instanceof HttpProblem && error.code === code && detail.test(error.message);
}

test('a payload is read into an event', () => {
  const body = patreonPayload({ email: 'Ada@Example.ORG' });
  const event = read(body) as MembershipEvent;
  assert.equal(
    { ...event, id: '' },
    {
      name: 'members:update',
      id: '',
      member: '719414',
      email: 'ada@example.org',
      charged_at: '2026-06-01T08:00:10.000Z',
      standing: 'active',
      paid_until: '2026-07-01T00:00:00.000Z',
      grace_until: '2026-07-08T00:00:00.000Z',
    },
  );
});

test('a body that is not signed with the secret is refused', () => {
  const body = patreonPayload();
  const refused = problem('invalid-signature', /X-Patreon-Signature/);
  const right = patreonHeaders(body)['x-patreon-signature'] as string;
  const wrong = [
    undefined,
    '',
    '0'.repeat(32),
    right.slice(0, -1),
    `${right}0`,
    `${right}, ${right}`,
    'é',
    patreonHeaders(body, '', 'another secret')['x-patreon-signature'],
    patreonHeaders(patreonPayload({ user: '2' }))['x-patreon-signature'],
  ];
  for (const signature of wrong) {
    const headers = { ...patreonHeaders(body), ...{ 'x-patreon-signature': signature } } as Record<
      string,
      string
    >;
    assert.throws(() => read(body, headers), refused, String(signature));
  }
  assert.throws(() => read(`${body} `, patreonHeaders(body)), refused);
  assert.throws(() => read(body.slice(0, -1), patreonHeaders(body)), refused);
  assert.throws(() => read('', patreonHeaders(body)), refused);
  const loud = { ...patreonHeaders(body), 'x-patreon-signature': right.toUpperCase() };
  assert.is((read(body, loud) as MembershipEvent).standing, 'active');
});

test('the signature is of the raw bytes', () => {
  const body = patreonPayload({ email: 'ada@bücher.example' }).replace(
    'Ada Lovelace',
    'Аda “L” \\ud83d\\ude00 ❤',
  );
  assert.is((read(body) as MembershipEvent).email, 'ada@xn--bcher-kva.example');
});

test('an event that is not about a member is ignored', () => {
  for (const event of ['posts:publish', 'pledges:create', '', 'members:'.padEnd(100, 'x')]) {
    assert.ok('ignored' in (read('{}', patreonHeaders('{}', event)) as object), event);
  }
});

const STATES: [what: string, member: Member, standing: Standing][] = [
  ['an active patron who has paid', {}, 'active'],
  ['an active patron on trial', { charge: 'Free Trial', chargedAt: null }, 'active'],
  ['a charge that is under way', { charge: 'Pending' }, 'undecided'],
  ['a charge that was declined', { charge: 'Declined' }, 'undecided'],
  ['a declined patron', { status: 'declined_patron' }, 'undecided'],
  ['no charge yet', { charge: null, chargedAt: null }, 'undecided'],
  ['a former patron', { status: 'former_patron' }, 'cancelled'],
  ['no patron', { status: null, charge: null, chargedAt: null }, 'cancelled'],
  ['a refund', { charge: 'Refunded' }, 'revoked'],
  ['a fraud', { charge: 'Fraud', status: 'former_patron' }, 'revoked'],
  ['a smaller amount', { cents: 499 }, 'unentitled'],
  ['an unknown tier', { cents: 100, tiers: [{ id: '1', title: 'Tip jar' }] }, 'unentitled'],
  ['a tier by its id', { cents: 100, tiers: [{ id: '8348592', title: 'Anything' }] }, 'active'],
  ['a tier by its title', { cents: 100, tiers: [{ id: '2', title: 'VIP Member' }] }, 'active'],
];
for (const [what, member, standing] of STATES) {
  test(`${what} is ${standing}`, () => {
    const event = readMember(member);
    assert.is(event.standing, standing);
    assert.is(event.paid_until !== undefined, standing === 'active');
  });
}

test('if only one of tier and amount is configured, it alone decides', () => {
  const { PATREON_TIERS, PATREON_MIN_CENTS, ...bare } = SETTINGS;
  const gold = [{ id: '8348592', title: 'Gold' }];
  assert.is(readMember({ cents: 100, tiers: gold }, { ...bare, PATREON_MIN_CENTS }).standing, 'unentitled');
  assert.is(readMember({ cents: 500 }, { ...bare, PATREON_TIERS }).standing, 'unentitled');
});

test('a tier that is in the payload, but not the member’s, does not buy Pro', () => {
  const body = JSON.parse(patreonPayload({ cents: 0, tiers: [{ id: '8348592', title: 'VIP Member' }] }));
  body.data.relationships.currently_entitled_tiers.data = [];
  assert.is((read(JSON.stringify(body)) as MembershipEvent).standing, 'unentitled');
});

test('an event has no email address if it is missing or invalid', () => {
  for (const email of [null, '', 'nobody']) assert.not('email' in readMember({ email }), String(email));
});

test('a payload that Patreon never sends is refused with the place of the error', () => {
  const change = (edit: (data: Record<string, Record<string, unknown>>) => void) => {
    const payload = JSON.parse(patreonPayload());
    edit(payload.data);
    return JSON.stringify(payload);
  };
  const bodies: [string, RegExp][] = [
    ['', /is not JSON/],
    ['{', /is not JSON/],
    ['[]', /the payload must be object/],
    ['{"data": null}', /at \/data must be object/],
    [change((data) => delete data.relationships), /'relationships'/],
    [
      change(({ attributes }) => Object.assign(attributes as object, { patron_status: 'vip' })),
      /patron_status must be/,
    ],
    [
      change(({ attributes }) => Object.assign(attributes as object, { last_charge_date: 'soon' })),
      /last_charge_date must/,
    ],
    [
      change(({ attributes }) => Object.assign(attributes as object, { next_charge_date: 12 })),
      /next_charge_date must/,
    ],
    [
      change(({ relationships }) => Object.assign(relationships as object, { user: { data: null } })),
      /user\/data must/,
    ],
  ];
  for (const [body, detail] of bodies)
    assert.throws(() => read(body), problem('invalid-parameter', detail), body);
});

test('settings that are incomplete or malformed are refused', () => {
  assert.is(createPatreon({}), undefined);
  assert.is(createPatreon({ PATREON_WEBHOOK_SECRET: '' }), undefined);
  assert.not('readWebhook' in (createPatreon({ PATREON_TIERS: 'Gold' }) as object));
  const wrong = [
    { PATREON_WEBHOOK_SECRET: SECRET },
    { PATREON_MIN_CENTS: '5.00' },
    { PATREON_MIN_CENTS: '0' },
  ];
  for (const settings of wrong) {
    assert.throws(
      () => createPatreon(settings as Environment),
      (error: unknown) => error instanceof SettingError,
    );
  }
});

const ROW = {
  Email: 'ada@example.org',
  'Patron Status': 'Active patron',
  'Last Charge Date': '2026-06-01 08:00:10',
  'Last Charge Status': 'Paid',
  'Next Charge Date': '2026-07-01 00:00:00',
  'Pledge Amount': '5.00',
  Tier: '',
  'User ID': '719414',
};

test('a row of the export gives the same event as a webhook', () => {
  const platform = createPatreon(SETTINGS) as Platform;
  const { id: _, name: __, ...row } = platform.readRow(ROW) as MembershipEvent;
  const { id: ___, name: ____, ...webhook } = readMember({});
  assert.equal(row, webhook);
  const standings: [object, Standing][] = [
    [{ 'Patron Status': 'Former patron' }, 'cancelled'],
    [{ 'Patron Status': '', 'Last Charge Status': '' }, 'cancelled'],
    [{ 'Patron Status': 'Declined patron', 'Last Charge Status': 'Declined' }, 'undecided'],
    [{ 'Last Charge Status': 'Refunded' }, 'revoked'],
    [{ 'Pledge Amount': '1.00' }, 'unentitled'],
    [{ 'Pledge Amount': '1.00', Tier: 'VIP Member' }, 'active'],
  ];
  for (const [change, standing] of standings)
    assert.is((platform.readRow({ ...ROW, ...change }) as MembershipEvent).standing, standing);
});

test('the error of a row names the wrong cell', () => {
  const platform = createPatreon(SETTINGS) as Platform;
  const wrong = [
    { 'User ID': '' },
    { 'Last Charge Date': 'yesterday' },
    { 'Next Charge Date': '01/07/2026' },
  ];
  for (const change of wrong) {
    const [column = ''] = Object.keys(change);
    assert.throws(
      () => platform.readRow({ ...ROW, ...change } as Record<string, string>),
      (error: unknown) => error instanceof RowError && error.message.includes(`"${column}"`),
    );
  }
});

test.run();
