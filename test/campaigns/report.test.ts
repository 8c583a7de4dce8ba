import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatFigures } from './report.ts';

test('the table has the figures of each campaign, or why it has none', () => {
  const table = formatFigures<{ tried: number; above: number; slowest?: number }>(
    [
      { name: 'clocks', seconds: 3.4, figures: { tried: 7, above: 1 } },
      { name: 'overload', seconds: 1, figures: 'no port is free' },
    ],
    { tried: 'tried', above: 'above caps', slowest: 'slowest' },
  );
  assert.match(table, '| campaign | seconds | tried | above caps | slowest |\n');
  assert.match(table, '| clocks | 3 | 7 | 1 |  |\n');
  assert.match(table, '| overload | 1 | not finished: no port is free |\n');
});

test.run();
