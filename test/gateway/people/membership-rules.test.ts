import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  applyEvent,
  type MembershipEvent,
  newMembership,
  STANDINGS,
  type Standing,
} from '../../../gateway/people/membership/membership.ts';
import { toIsoOrNull } from '../../../gateway/store/accounts.ts';
import { fc } from '../../support/random.ts';

const test = suite('state of a membership');
const MAY = '2026-05-01T08:00:00.000Z';
const JUNE = '2026-06-01T08:00:00.000Z';
const JULY = '2026-07-01T08:00:00.000Z';
const GRACE = '2026-07-08T08:00:00.000Z';
const NEW = newMembership('patreon', '1');

function event(standing: Standing, charged: string | null, end?: string): MembershipEvent {
  const charged_at = charged === null ? null : Date.parse(charged);
  const until = Date.parse(end ?? '');
  const paid = end === undefined ? null : { until, grace: until + 7 * 86_400_000 };
  return { name: 'update', member: '1', charged_at, standing, paid };
}

function apply(...events: MembershipEvent[]) {
  return events.reduce(applyEvent, NEW);
}

/** Until when a member is Pro after some events, ISO 8601 UTC. */
function proUntil(...events: MembershipEvent[]): string | null {
  return toIsoOrNull(apply(...events).pro_until);
}

const TRIAL = event('given', null, JULY);
const CASES: [what: string, events: MembershipEvent[], pro: string | null][] = [
  [
    'a pending charge does not end Pro',
    [event('active', MAY, JUNE), event('undecided', JUNE)],
    '2026-06-08T08:00:00.000Z',
  ],
  ['a pending charge alone does not give Pro', [event('undecided', JUNE)], null],
  [
    'a member who then pays for something else is Pro until the end of the paid period',
    [event('active', MAY, JUNE), event('unentitled', JUNE)],
    JUNE,
  ],
  ['a refunded member who pays again is Pro', [event('revoked', MAY), event('active', JUNE, JULY)], GRACE],
  [
    'a refunded member with a new pending charge is not Pro yet',
    [event('active', MAY, JUNE), event('revoked', MAY), event('undecided', JUNE)],
    null,
  ],
  [
    'a member who cancelled and pays again is Pro until the end of the grace period',
    [event('active', MAY, JUNE), event('cancelled', MAY), event('active', JUNE, JULY)],
    GRACE,
  ],
  [
    'an event about an older charge changes nothing',
    [event('revoked', JUNE), event('active', MAY, JULY)],
    null,
  ],
  [
    'a charge that was pending first ends Pro earlier than a paid year before it',
    [event('active', MAY, '2027-05-01'), event('undecided', JUNE), event('active', JUNE, JULY)],
    GRACE,
  ],
  ['a trial without a charge is Pro', [TRIAL], GRACE],
  ['a trial that is over is not Pro', [TRIAL, event('cancelled', null)], null],
  ['an export does not end a trial', [TRIAL, { ...event('cancelled', null), name: 'export' }], GRACE],
  ['a paid month counts after a gift', [event('active', MAY, JUNE), TRIAL, event('cancelled', MAY)], JUNE],
  ['a refund after a gift ends Pro', [event('active', MAY, JUNE), TRIAL, event('revoked', MAY)], null],
  ['a pending charge after a trial keeps Pro', [TRIAL, event('undecided', MAY)], '2026-05-08T08:00:00.000Z'],
  [
    'an event without a charge is older than one with a charge',
    [event('cancelled', JUNE), event('active', null, JULY)],
    null,
  ],
  [
    'of two events about one charge, the stronger one counts',
    [event('unentitled', JUNE), event('active', JUNE, JULY)],
    GRACE,
  ],
];
for (const [what, events, pro] of CASES) test(what, () => assert.is(proUntil(...events), pro));

test('the email address stays when a later event has none', () => {
  const known = apply(
    { ...event('active', MAY, JUNE), email: 'ada@example.org' },
    event('active', JUNE, JULY),
  );
  assert.is(known.email, 'ada@example.org');
});

/** Random events about one charge. */
const events = fc
  .array(fc.record({ standing: fc.constantFrom(...STANDINGS), days: fc.integer({ min: 1, max: 400 }) }), {
    minLength: 1,
    maxLength: 10,
  })
  .map((drawn) =>
    drawn.map(({ standing, days }) => {
      const end = new Date(Date.parse(MAY) + days * 86_400_000).toISOString();
      return event(standing, MAY, standing === 'active' ? end : undefined);
    }),
  );
/** Events, and each of them twice in another order. */
const shuffled = events.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: 2 * all.length })),
);

test('events about one charge give the same state in any order, also when repeated', () => {
  fc.assert(
    fc.property(shuffled, ([all, other]) => {
      assert.equal(apply(...other), apply(...all));
    }),
  );
});

test.run();
