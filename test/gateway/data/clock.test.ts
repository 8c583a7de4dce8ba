import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SteadyClock } from '../../../gateway/data/clock.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-06-01T12:00:00Z');

interface Context {
  /** Lets time pass, on both clocks. */
  pass(ms: number): void;
  /** Sets the clock of the machine forward, or back. */
  jump(ms: number): void;
  clock: SteadyClock;
  logged: string[];
}

const test = suite<Context>('steady clock');
test.before.each((context) => {
  let monotonic = 5000;
  let offset = START - monotonic;
  const logged: string[] = [];
  const write = (message: string) => void logged.push(message);
  const log = { info: write, error: write, access() {} };
  Object.assign(context, {
    pass(ms: number) {
      monotonic += ms;
    },
    jump(ms: number) {
      offset += ms;
    },
    clock: new SteadyClock({ log, wall: () => monotonic + offset, monotonic: () => monotonic }),
    logged,
  });
});

test('follows small corrections at once', ({ clock, pass, jump, logged }) => {
  pass(1000);
  jump(900);
  assert.is(clock.now(), START + 1900);
  jump(-1900);
  assert.is(clock.now(), START);
  assert.equal(logged, []);
});

for (const by of [HOUR, -HOUR]) {
  test(`a jump by ${by / HOUR} h for a moment is held and logged`, ({ clock, pass, jump, logged }) => {
    jump(by);
    assert.is(clock.now(), START);
    pass(500);
    assert.is(clock.now(), START + 500);
    assert.is(logged.length, 1);
    jump(-by);
    pass(500);
    assert.is(clock.now(), START + 1000);
    assert.is(logged.length, 2);
  });

  test(`a jump by ${by / HOUR} h that stays for a minute is followed`, ({ clock, pass, jump }) => {
    jump(by);
    clock.now();
    pass(59_000);
    assert.is(clock.now(), START + 59_000);
    pass(1000);
    assert.is(clock.now(), START + 60_000 + by);
    pass(1);
    assert.is(clock.now(), START + 60_001 + by);
  });
}

test('a clock that keeps jumping is not followed', ({ clock, pass, jump }) => {
  for (let second = 1; second <= 120; second++) {
    jump(HOUR);
    pass(1000);
    assert.is(clock.now(), START + second * 1000);
  }
});

test.run();
