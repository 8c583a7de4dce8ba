import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commonPath } from '../../../scripts/steps/report-explained.ts';
import { manyRecords, testFindings, twoBuilds } from '../check/cases.ts';

const report = suite('explained changes');

const withStats = (factor: number) =>
  manyRecords(10, (index) => ({ stats: { atk: (11 + index) * factor, def: (31 + index) * factor, hp: 7 } }));
const scaled = (...of: string[]) =>
  twoBuilds(
    { a: withStats(1) },
    { a: withStats(10) },
    of.map((each) => ({ check: 'values-scaled', of: each, reason: 'The game shows other units.' })),
  );

testFindings(
  report,
  'of several attributes that changed in the same way are one finding, with an example',
  scaled(),
  ['values-scaled 1.1/a.json:1'],
  /^"stats\.atk", "stats\.def" of a .* in 10 of 10 values: "stats\.atk" of "id-0" was the number 11 and is the number 110$/,
);
testFindings(report, 'are lifted by an override of what the attributes share', scaled('a.stats'), []);

testFindings(
  report,
  'show an example of the pattern, although another value changed first',
  twoBuilds(
    { a: manyRecords(20, (index) => ({ cost: 10 + index * index })) },
    { a: manyRecords(20, (index) => ({ cost: index === 0 ? 11 : (10 + index * index) * 10 })) },
  ),
  ['values-scaled 1.1/a.json:1'],
  /: "cost" of "id-1" was the number 11 and is the number 110$/,
);

report('share the names that all their keys begin with', () => {
  assert.equal(commonPath(['stats.atk']), ['stats', 'atk']);
  assert.equal(commonPath(['stats.atk', 'stats.def', 'stats.def.max']), ['stats']);
  assert.equal(commonPath(['stats.atk', 'stats.def', 'cost']), []);
  assert.equal(commonPath([]), []);
});

report.run();
