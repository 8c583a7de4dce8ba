import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isSound, noFigures } from './campaign.ts';
import { formatFigures } from './report.ts';

test('a campaign is sound if it tried something and nothing bad was counted', () => {
  assert.ok(isSound({ ...noFigures(), tried: 1 }));
  assert.not(isSound(noFigures()));
  for (const bad of ['lost', 'torn', 'wrong', 'above', 'silent'])
    assert.not(isSound({ ...noFigures(), tried: 1, [bad]: 1 }), bad);
});

test('the table has the figures of each campaign, or why it has none', () => {
  const figures = { tried: 7, lost: 1, torn: 2, wrong: 3, above: 4, silent: 5 };
  const table = formatFigures([
    { name: 'clocks', seconds: 3.4, figures },
    { name: 'overload', seconds: 1, figures: 'no port is free' },
  ]);
  assert.match(table, '| clocks | 3 | 7 | 1 | 2 | 3 | 4 | 5 |\n');
  assert.match(table, '| overload | 1 | not finished: no port is free |\n');
});

test.run();
