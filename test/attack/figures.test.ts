import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isSound, Tally } from './figures.ts';

test('an attack is sound if it tried something and nothing got through', () => {
  const reported: string[] = [];
  const tally = new Tally({
    isOver: () => true,
    seconds: 1,
    random: () => 0,
    report: (what) => reported.push(what),
  });
  assert.not(isSound(tally.figures));
  tally.tried(3);
  tally.took(4.4);
  tally.took(2);
  assert.ok(isSound(tally.figures));
  tally.gotThrough('a leak');
  assert.not(isSound(tally.figures));
  assert.equal(reported, ['a leak']);
  assert.equal(tally.figures, { tried: 3, through: 1, slowest: 4 });
});

test.run();
