import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BadAttempts, MAX_FAILED } from '../../../gateway/access/attempts.ts';
import { HttpProblem } from '../../../gateway/http/problem.ts';

const test = suite<{ clock: { now: number }; attempts: BadAttempts }>('failed attempts');
test.before.each((context) => {
  context.clock = { now: 1000 };
  context.attempts = new BadAttempts(() => context.clock.now);
});

/** Lets an attempt fail. @returns in how many seconds the network may try again; undefined while it may */
function failOnce(attempts: BadAttempts, address: string): unknown {
  try {
    return attempts.refuse(address, 'this key is not known');
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    assert.is(error.code, 'quota-exceeded');
    assert.match(error.message, /^this key is not known; this network sent too many/);
    return error.headers['Retry-After'];
  }
}

/** Lets attempts fail. @returns how many were not throttled */
function fail(attempts: BadAttempts, count: number, addressOf: (index: number) => string): number {
  const addresses = Array.from({ length: count }, (_, index) => addressOf(index));
  return addresses.filter((address) => failOnce(attempts, address) === undefined).length;
}

test('a network may fail 60 times in a minute, and then again after it', ({ attempts, clock }) => {
  const ofOne = () => fail(attempts, 100, () => '203.0.113.7');
  assert.is(ofOne(), MAX_FAILED);
  clock.now += 59_500;
  assert.is(failOnce(attempts, '203.0.113.7'), 1);
  assert.is(failOnce(attempts, '203.0.113.8'), undefined, 'other networks are not affected');
  clock.now += 500;
  assert.is(ofOne(), MAX_FAILED);
});

test('IPv6 addresses count by their /64, and looser by their /48', ({ attempts }) => {
  assert.is(
    fail(attempts, 100, (n) => `2001:db8:1:1::${n.toString(16)}`),
    MAX_FAILED,
  );
  assert.is(
    fail(attempts, 2000, (n) => `2001:db8:2:${n.toString(16)}::1`),
    600,
  );
  assert.is(failOnce(attempts, '2001:db8:3::1'), undefined);
});

test('memory is bounded: of many networks, those that failed last are remembered', ({ attempts }) => {
  assert.is(
    fail(attempts, 100, () => '203.0.113.7'),
    MAX_FAILED,
  );
  fail(attempts, 20_000, (n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  assert.is(failOnce(attempts, '203.0.113.7'), undefined);
});

test.run();
