import fs, {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addRequest,
  type Counters,
  countersAt,
  countRequest,
  UNUSED,
  uncountRequest,
  writeCounters,
} from '../../../../gateway/plans/counters.ts';
import { CounterLog } from '../../../../gateway/store/counters/counter-log.ts';
import { type CounterChange, formatLine } from '../../../../gateway/store/counters/line.ts';
import { type Reading, StoreError } from '../../../../gateway/store/store.ts';
import { fc } from '../../../support/random.ts';
import { counting, countMany, ENDLESS, MANY, NOW, Place, takingBack } from './place.ts';

const DAY_MS = 86_400_000;
const SEAL = '"end"';

const test = suite<{ place: Place }>('log of counters');

test.before.each((context) => {
  context.place = new Place();
});
test.after.each(({ place }) => place.remove());

const ACCOUNTS = ['a', 'b', 'c', 'd e', '-f', 'g:"\\\n[é'];

interface Work {
  account: string;
  kind: 'count' | 'count limited' | 'uncount' | 'remove';
}

/** The changes of one process, and how many ms after the previous step. */
interface Step {
  process: number;
  later: number;
  works: Work[];
  /** What happens next: the process restarts, the segment ends, or another process dies after writing this many bytes. */
  next: 'go on' | 'restart' | 'end' | number;
}

const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    process: fc.nat(2),
    // The clock is never set back over midnight.
    later: fc.constantFrom(0, 1, 700, -300, 20_000, 61_000, -90_000, DAY_MS),
    works: fc.array(
      fc.record({
        account: fc.constantFrom(...ACCOUNTS),
        kind: fc.constantFrom<Work['kind'][]>('count', 'count', 'count limited', 'uncount', 'remove'),
      }),
      { maxLength: 6 },
    ),
    next: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Step['next']>('go on') },
      fc.constantFrom<Step['next'][]>('restart', 'end', 'end'),
      fc.nat(60),
    ),
  }),
  { maxLength: 60, size: 'max' },
);

test('processes that count, pause, die and restart agree with counters in memory, whatever the segment length', () => {
  let segments = 0;
  let snapshots = 0;
  fc.assert(
    fc.property(STEPS, fc.integer({ min: 1, max: 300 }), (steps, segmentBytes) => {
      const place = new Place();
      const logs = [1, 2, 3].map(() => place.open({ segmentBytes }));
      const expected = new Oracle();
      for (const { process, later, works, next } of steps) {
        place.now += later;
        const log = logs[process] as CounterLog;
        const { changes, admissions } = expected.change(works, place.now);
        assert.equal(log.change(changes).map(describe), admissions.map(describe));
        if (next === 'restart') logs[process] = place.open({ segmentBytes });
        if (next === 'end') place.append(`${SEAL}\n`);
        if (typeof next === 'number') place.append(sampleLine('torn').slice(0, next));
        for (const reader of logs) {
          // The other processes read rarely, so that segments are removed before they have read everything.
          if (reader !== log && later > 0) continue;
          for (const account of ACCOUNTS)
            assert.equal(
              describe(reader.read(account)),
              describe(expected.read(account, place.now)),
              account,
            );
        }
      }
      segments += place.number();
      if (place.kinds().includes('snapshot')) snapshots++;
      place.remove();
    }),
    { numRuns: 300 },
  );
  assert.ok(segments > 1000 && snapshots > 50, `${segments} ${snapshots}`);
});

test('a line that is cut off at any byte counts nothing, and the next line counts in full', ({ place }) => {
  const logs = [place.open(), place.open()];
  const torn = [
    sampleLine('torn'),
    SEAL,
    sampleLine('torn', 'g:"\\\n[é\u{1f600}'),
    sampleLine('x', '[1,"x",'),
  ];
  let count = 0;
  for (const line of torn) {
    const bytes = Buffer.from(line);
    for (let length = 1; length <= bytes.length; length++) {
      appendFileSync(place.newest(), bytes.subarray(0, length));
      // Of two processes that died one after the other.
      if (length % 3 === 0) place.append(sampleLine('other').slice(0, length % 25));
      const log = logs[length % 2] as CounterLog;
      assert.is(log.change([counting('a', ENDLESS)])[0]?.counters.count, ++count, `${line} ${length}`);
    }
  }
  for (const log of [...logs, place.open()]) {
    assert.equal(log.read('a').counters.count, count);
    assert.equal(log.read('torn').counters.count, 0);
  }
});

test('invalid lines are ignored', ({ place }) => {
  const log = place.open();
  const none = [
    '',
    ' ',
    '{}',
    'null',
    '1',
    '[]',
    '[1]',
    '["1","x"]',
    '[1,2]',
    `[${NOW},"x",5]`,
    `[${NOW},"x","a"]`,
    `[${NOW},"x",["count"]]`,
    `[${NOW},"x",["count","a",1]]`,
    `[${NOW},"x",["set","a",1]]`,
  ];
  for (const line of [...none, `[${NOW},"x",["count","a",1,1],["?","a"]]`, `${sampleLine('a')}]`, '\ufffd'])
    place.append(`${line}\n`);
  appendFileSync(place.newest(), Buffer.from([0xff, 0xfe, 0x0a]));
  assert.equal(log.change([counting('a', ENDLESS)])[0]?.counters.count, 1);
  assert.equal(place.open().read('a').counters.count, 1);
});

test('lines after the end of a segment are void, and the next segment continues the counts', ({ place }) => {
  const [first, second] = [place.open(), place.open()];
  first.change([counting('a', ENDLESS)]);
  place.append(`${SEAL}\n${sampleLine('a')}\n${SEAL}\n`);
  assert.equal(second.change([counting('a', ENDLESS)])[0]?.counters.count, 2);
  for (const log of [first, second, place.open()]) assert.equal(log.read('a').counters.count, 2);
  assert.is(place.number(), 2);
});

test('a process that paused while segments were added and removed catches up and continues', ({ place }) => {
  const sleeper = place.open({ segmentBytes: 300 });
  const before = sleeper.change([counting('a', ENDLESS)])[0]?.counters.count as number;
  const awake = place.open({ segmentBytes: 300 });
  for (let n = 0; n < 50; n++) awake.change([counting('a', ENDLESS)]);
  assert.equal(sleeper.change([counting('a', ENDLESS)])[0]?.counters.count, before + 51);
  assert.equal(awake.read('a').counters.count, before + 51);
  assert.ok(place.number() > 5, `${place.number()}`);
});

test('a snapshot is written line by line with later changes, then older files are removed', ({ place }) => {
  const log = place.open({ segmentBytes: 1 });
  countMany(log);
  writeFileSync(join(place.path, '0000000002.dead.tmp'), 'x');
  const seen: string[] = [];
  for (let changes = 0; changes < 4; changes++) {
    log.change([forgetting('account-0')]);
    seen.push(place.kinds());
  }
  const making = '1.log 2.dead.tmp 2.log 2.own.tmp';
  assert.equal(seen, [making, making, making, '2.log 2.snapshot']);
  const text = readFileSync(place.newest('.snapshot'), 'utf8');
  for (const name of MANY) assert.match(text, `"${name}"`);
  for (const line of text.split('\n')) assert.ok(line.length < 10_000);
  for (const file of place.files()) assert.is(statSync(join(place.path, file)).mode & 0o777, 0o600);
  const fresh = place.open();
  assert.equal([fresh.read('account-0').counters.count, fresh.read('account-1').counters.count], [0, 1]);
});

test('of two processes that see a long segment, one writes the snapshot, and finishes it before ending another', ({
  place,
}) => {
  const [log, other] = [place.open({ segmentBytes: 1 }), place.open({ segmentBytes: 1 })];
  countMany(log, () => other.read('a'));
  other.change([counting('a', ENDLESS)]);
  assert.is(place.kinds(), '1.log 2.log 2.own.tmp');
  countMany(log);
  assert.is(place.kinds(), '1.log 2.log 2.own.tmp');
  log.change([takingBack('none', 0)]);
  assert.is(place.kinds(), '2.log 2.snapshot 3.log 3.own.tmp');
  assert.is(place.open().read(MANY[0] as string).counters.count, 2);
});

test('if a process died before its snapshot was done, all earlier segments are read', ({ place }) => {
  const log = place.open();
  for (let segment = 1; segment <= 3; segment++) {
    log.change([counting('a', ENDLESS)]);
    place.append(`${SEAL}\n`);
  }
  assert.is(place.open().read('a').counters.count, 3);
  assert.equal(place.kinds(), '1.log 2.log 3.log 4.log');
});

/** Counts requests of the account "a", each of which is admitted. */
class Tally {
  count = 0;

  add(log: CounterLog, times = 1): void {
    this.count += times;
    for (let n = 0; n < times; n++) assert.is(log.change([counting('a', ENDLESS)])[0]?.admitted, true);
  }
}

test('nothing is lost or counted twice, whatever other processes do between a read and a write', ({
  place,
}) => {
  const other = place.open({ segmentBytes: 1 });
  const tally = new Tally();
  const moments = [
    ['before', 'writeSync'],
    ['after', 'writeSync'],
    ['before', 'readSync'],
  ] as const;
  for (const [when, call] of moments) {
    for (let changes = 0; changes <= 4; changes++) {
      const log = place.open();
      const countByOther = () => {
        tally.add(other, changes);
        if (changes < 2) place.append(`${SEAL}\n`);
      };
      intervene(call, when, countByOther, () => tally.add(log));
      for (const each of [log, other, place.open()])
        assert.is(each.read('a').counters.count, tally.count, `${when} ${call} ${changes}`);
    }
  }
});

test('a process that paused while opening a segment continues in the newest one', ({ place }) => {
  const other = place.open({ segmentBytes: 1 });
  const tally = new Tally();
  for (const [when, call] of [
    ['before', 'openSync'],
    ['after', 'openSync'],
    ['before', 'readdirSync'],
    ['after', 'readdirSync'],
  ] as const) {
    const log = place.open();
    tally.add(log);
    place.append(`${SEAL}\n`);
    intervene(
      call,
      when,
      () => tally.add(other, 40),
      () => tally.add(log),
    );
    for (const each of [other, log, place.open()])
      assert.is(each.read('a').counters.count, tally.count, `${when} ${call}`);
  }
});

test('a process that paused while reading everything again reads the newest snapshot', ({ place }) => {
  const other = place.open({ segmentBytes: 1 });
  const tally = new Tally();
  for (const [when, call] of [
    ['before', 'openSync'],
    ['after', 'openSync'],
    ['after', 'readdirSync'],
  ] as const) {
    intervene(
      call,
      when,
      () => tally.add(other, 40),
      () => assert.is(place.open().read('a').counters.count, tally.count),
    );
  }
});

test('an unused log reads and creates no file', ({ place }) => {
  const log = new CounterLog({ folder: place.path, now: () => NOW });
  assert.equal(place.files(), []);
  log.read('a');
  assert.equal(place.files(), ['0000000001.log']);
  log.close();
});

test('accounts that have used nothing are left out of the next snapshot', ({ place }) => {
  const log = place.open({ segmentBytes: 1 });
  log.change([counting('early', ENDLESS), counting('late', ENDLESS)]);
  place.now += DAY_MS;
  for (let n = 0; n < 20; n++) log.change([counting('late', ENDLESS)]);
  const text = readFileSync(place.newest('.snapshot'), 'utf8');
  assert.match(text, 'late');
  assert.not.match(text, 'early');
});

test('a time less than a second late counts as now, an earlier one as a clock that was set back', ({
  place,
}) => {
  const log = place.open();
  const timeOf = (at: number) => {
    place.now = at;
    assert.is(log.read('a').at, log.change([counting('a', ENDLESS)])[0]?.at);
    return log.read('a').at;
  };
  assert.is(timeOf(NOW), NOW);
  assert.is(timeOf(NOW - 999), NOW);
  assert.is(timeOf(NOW - 1000), NOW - 1000);
  assert.is(timeOf(NOW + 5), NOW + 5);
  assert.equal(log.read('a').counters.times.toArray(), [NOW - 1000, NOW - 1000, NOW - 1000, NOW + 5]);
});

test('a snapshot without accounts keeps the time of the last change', ({ place }) => {
  const log = place.open({ segmentBytes: 1 });
  log.change([forgetting('a')]);
  place.now -= 500;
  for (let changes = 0; changes < 3; changes++) log.change([counting('a', ENDLESS)]);
  assert.is(place.kinds(), '2.log 2.snapshot');
  assert.equal(describe(place.open().read('a')), describe(log.read('a')));
  assert.is(log.read('a').at, NOW);
});

test('a line longer than the read buffer is read whole', ({ place }) => {
  const [log, other] = [place.open(), place.open()];
  const names = Array.from({ length: 5000 }, (_, n) => `${n}-${'x'.repeat(30)}`);
  const counted = log.change(names.map((name) => counting(name, ENDLESS)));
  assert.is(counted.filter(({ admitted, counters }) => admitted && counters.count === 1).length, 5000);
  place.append(`${SEAL}\n`);
  for (const each of [other, place.open()])
    for (const name of names) assert.is(each.read(name).counters.count, 1);
});

test('a failure in the middle of a change leaves nothing half done', ({ place }) => {
  const log = place.open();
  log.change([counting('a', ENDLESS)]);
  const set = Map.prototype.set;
  let sets = 0;
  Map.prototype.set = function (...given) {
    if (sets++ === 1) throw new RangeError('Map maximum size exceeded');
    return set.apply(this, given);
  };
  try {
    assert.throws(() => log.change([counting('a', ENDLESS), counting('b', ENDLESS)]), /maximum size/);
  } finally {
    Map.prototype.set = set;
  }
  for (const reader of [log, place.open()])
    assert.equal([reader.read('a').counters.count, reader.read('b').counters.count], [2, 1]);
});

test('a log that was cut short is reported once', ({ place }) => {
  const log = place.open();
  log.change([counting('a', ENDLESS)]);
  log.change([counting('a', ENDLESS)]);
  truncateSync(place.newest(), 30);
  assert.throws(
    () => log.change([counting('a', ENDLESS)]),
    (error: Error) => {
      return (
        error instanceof StoreError && error.message.includes(`the counters in ${place.path} were cut short`)
      );
    },
  );
  const { count } = log.read('a').counters;
  assert.is(log.change([counting('a', ENDLESS)])[0]?.counters.count, count + 1);
});

test('without its folder it fails when a segment ends, and continues when the folder is back', ({
  place,
}) => {
  const log = place.open({ segmentBytes: 200 });
  renameSync(place.path, `${place.path}-gone`);
  let count = 0;
  const countOn = () => {
    for (;;) count = log.change([counting('a', ENDLESS)])[0]?.counters.count as number;
  };
  assert.throws(countOn, /ENOENT/);
  assert.throws(countOn, /ENOENT/);
  mkdirSync(place.path);
  assert.is(log.change([counting('a', ENDLESS)])[0]?.counters.count, count + 1);
  rmSync(`${place.path}-gone`, { recursive: true });
});

test.run();

function forgetting(account: string): CounterChange {
  return ['forget', account];
}

/** Makes counters comparable: to `assert.equal`, all `Times` are the same. */
function describe(reading: Reading) {
  return { ...reading, counters: writeCounters(reading.counters) };
}

/** The expected counters, in the memory of one process. */
class Oracle {
  readonly #accounts = new Map<string, Counters>();
  #last = 0;

  /** @returns the changes for some works, and their expected results */
  change(works: Work[], now: number) {
    const at = this.#timeOf(now);
    this.#last = at;
    const changes: CounterChange[] = [];
    const admissions = works.map(({ account, kind }) => {
      const before = countersAt(this.#accounts.get(account) ?? UNUSED, at);
      const limits = kind === 'count' ? ENDLESS : { minute: 3, day: 6 };
      const time = before.times.at(0) ?? at;
      const counted = countRequest(before, limits, at);
      const [change, counters] = {
        count: [counting(account, limits), addRequest(before, at)] as const,
        'count limited': [counting(account, limits), counted ?? before] as const,
        uncount: [takingBack(account, time), uncountRequest(before, time)] as const,
        remove: [forgetting(account), UNUSED] as const,
      }[kind];
      this.#accounts.set(account, counters);
      changes.push(change);
      const admitted = kind.startsWith('count') && counted !== undefined;
      return { counters, at, admitted };
    });
    return { changes, admissions };
  }

  read(account: string, now: number) {
    const at = this.#timeOf(now);
    return { counters: countersAt(this.#accounts.get(account) ?? UNUSED, at), at };
  }

  #timeOf(now: number): number {
    return this.#last - 1000 < now && now < this.#last ? this.#last : now;
  }
}

/** Does work, and calls `inTheMiddle` before or after the first file system call with this name. */
function intervene(
  call: 'openSync' | 'readdirSync' | 'readSync' | 'writeSync',
  when: 'before' | 'after',
  inTheMiddle: () => void,
  work: () => void,
): void {
  const real = fs[call] as (...args: unknown[]) => unknown;
  const put = (made: (...args: unknown[]) => unknown) => {
    Object.assign(fs, { [call]: made });
    syncBuiltinESMExports();
  };
  let isDone = false;
  put((...args) => {
    put(real);
    isDone = true;
    if (when === 'before') inTheMiddle();
    const result = real(...args);
    if (when === 'after') inTheMiddle();
    return result;
  });
  try {
    work();
  } finally {
    put(real);
  }
  assert.ok(isDone);
}

function sampleLine(name: string, account = 'torn'): string {
  return formatLine({ at: NOW, changes: [counting(account, ENDLESS), counting('a', ENDLESS)] }, name);
}
