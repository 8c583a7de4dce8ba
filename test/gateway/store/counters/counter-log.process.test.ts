import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runSource } from '../../../support/command.ts';
import { withPrograms } from '../../../support/skip.ts';
import { whenFull } from '../../../support/when-full.ts';
import { counting, countMany, ENDLESS, NOW, Place } from './place.ts';

const test = suite<{ place: Place }>('log of counters, of processes and on a full disk');

test.before.each((context) => {
  context.place = new Place();
});
test.after.each(({ place }) => place.remove());

withPrograms(test, 'prlimit')('on a full disk nothing is counted until there is space', async ({ place }) => {
  const [log, other] = [place.open(), place.open()];
  let count = 0;
  const countOn = () => {
    for (;;) count = log.change([counting('a', ENDLESS)])[0]?.counters.count as number;
  };
  for (const room of [1, 500, 3, 77]) {
    const { size } = statSync(place.newest());
    await whenFull(size + room, () => {
      for (let time = 0; time < 3; time++) assert.throws(countOn, /EFBIG/);
      assert.is(log.read('a').counters.count, count);
    });
    assert.is(other.read('a').counters.count, count);
    assert.is(log.change([counting('a', ENDLESS)])[0]?.counters.count, ++count);
    assert.is(other.change([counting('a', ENDLESS)])[0]?.counters.count, ++count);
  }
});

withPrograms(test, 'prlimit')(
  'without space for a snapshot one change fails, and later ones succeed without it',
  async ({ place }) => {
    const log = place.open({ segmentBytes: 1 });
    countMany(log);
    assert.equal(place.kinds(), '1.log 2.log 2.own.tmp');
    await whenFull(statSync(place.newest()).size + 500, () => {
      assert.throws(() => log.change([counting('a', ENDLESS)]), /EFBIG/);
      assert.equal(place.kinds(), '1.log 2.log');
      assert.is(log.change([counting('a', ENDLESS)])[0]?.counters.count, 1);
    });
    assert.is(place.open().read('a').counters.count, 1);
  },
);

test('processes that count at once, one of which is killed, count exactly', async ({ place }) => {
  const limits = { minute: 1e6, day: 5000 };
  const started = mkdtempSync(join(tmpdir(), 'started-'));
  const source = (rounds: number, last: string) => `
    import { readdirSync, writeFileSync, writeSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { CounterLog } from './gateway/store/counters/counter-log.js';
    const folder = ${JSON.stringify(place.path)};
    const log = new CounterLog({ folder, now: () => ${NOW}, segmentBytes: 5000 });
    let admitted = 0;
    // They begin together, when all three have started.
    const started = ${JSON.stringify(started)};
    writeFileSync(started + '/' + process.pid, '');
    while (readdirSync(started).length < 3) await sleep(1);
    for (let n = 0; n < ${rounds}; n++) {
      const [a] = log.change([
        ['count', 'a', ${limits.minute}, ${limits.day}],
        ['count', 'b', ${ENDLESS.minute}, ${ENDLESS.day}],
      ]);
      admitted += Number(a.admitted);
    }
    writeSync(1, String(admitted));
    ${last}`;
  const outcomes = await Promise.all([
    runSource(source(3000, '')),
    runSource(source(3000, '')),
    runSource(source(1000, "process.kill(process.pid, 'SIGKILL');")),
  ]);
  rmSync(started, { recursive: true });
  assert.equal(
    outcomes.map(({ signal }) => signal),
    [null, null, 'SIGKILL'],
    outcomes.map(({ stderr }) => stderr).join(''),
  );
  assert.is(
    outcomes.reduce((sum, { stdout }) => sum + Number(stdout), 0),
    limits.day,
  );
  const log = place.open();
  assert.is(log.read('a').counters.count, limits.day);
  assert.is(log.read('b').counters.count, 7000);
  assert.ok(place.number() > 3, `${place.number()}`);
});

test.run();
