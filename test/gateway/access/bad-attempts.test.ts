import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BadAttempts, MAX_FAILED } from '../../../gateway/access/attempts.ts';
import { HttpProblem } from '../../../gateway/http/problem.ts';

const test = suite<{ clock: { now: number }; attempts: BadAttempts }>('failed attempts');
test.before.each((context) => {
  context.clock = { now: 1000 };
  context.attempts = new BadAttempts(() => context.clock.now);
});

/** Lets attempts fail. @returns how many were not throttled */
function fail(attempts: BadAttempts, addresses: Iterable<string>): number {
  return [...addresses].filter((address) => attempts.note(address) === undefined).length;
}

function* repeat(count: number, address: (index: number) => string): Iterable<string> {
  for (let index = 0; index < count; index++) yield address(index);
}

test('a network may fail 60 times in a minute, and then again after it', ({ attempts, clock }) => {
  assert.is(
    fail(
      attempts,
      repeat(100, () => '203.0.113.7'),
    ),
    MAX_FAILED,
  );
  clock.now += 59_500;
  assert.is(attempts.note('203.0.113.7'), 1);
  assert.is(attempts.note('203.0.113.8'), undefined, 'other networks are not affected');
  clock.now += 500;
  assert.is(
    fail(
      attempts,
      repeat(100, () => '203.0.113.7'),
    ),
    MAX_FAILED,
  );
  assert.equal(attempts.state, { refused: 2 * MAX_FAILED + 1, throttled: 81 });
});

test('IPv6 addresses count by their /64, and looser by their /48', ({ attempts }) => {
  assert.is(
    fail(
      attempts,
      repeat(100, (n) => `2001:db8:1:1::${n.toString(16)}`),
    ),
    MAX_FAILED,
  );
  const ofSite = fail(
    attempts,
    repeat(2000, (n) => `2001:db8:2:${n.toString(16)}::1`),
  );
  assert.is(ofSite, 600);
  assert.is(attempts.note('2001:db8:3::1'), undefined);
});

test('memory is bounded: of many networks, those that failed last are remembered', ({ attempts }) => {
  const addressOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  fail(
    attempts,
    repeat(MAX_FAILED, () => '203.0.113.7'),
  );
  assert.ok(attempts.note('203.0.113.7'));
  fail(attempts, repeat(20_000, addressOf));
  assert.is(attempts.note('203.0.113.7'), undefined);
});

test('the problem says what was wrong, and when to try again', ({ attempts }) => {
  for (let n = 0; n < MAX_FAILED; n++) attempts.refuse('203.0.113.7', 'this key is not known');
  assert.throws(
    () => attempts.refuse('203.0.113.7', 'this key is not known'),
    (error: unknown) =>
      error instanceof HttpProblem &&
      error.code === 'quota-exceeded' &&
      error.headers['Retry-After'] === 60 &&
      error.message.startsWith('this key is not known; this network sent too many'),
  );
});

test.run();
