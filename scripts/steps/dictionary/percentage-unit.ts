import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from '../content/content.ts';
import { dictionaryExample, placeOfDictionary, visitServed } from './dictionary.ts';

/** If all fractions are smaller than this, it is not one that a game shows. */
const MIN_SHOWN = 0.005;
const rate = { description: 'The rate.', kind: 'percentage' };
const described = { id: { description: 'The id.' }, name: { description: 'The name.' } };
const records = exampleRecords(3, () => ({ rate: 0.05 }));

export const percentageUnitCheck: ContentCheck = {
  name: 'percentage-unit',
  description:
    'A percentage has a unit. Its largest value is at least 0.5 % (`fraction: 0.05 is 5 %`) or above 1 % (`%`).',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: dictionaryExample({ ...described, rate: { ...rate, unit: 'fraction: 0.05 is 5 %' } }, records),
  fails: dictionaryExample({ ...described, rate: { ...rate, unit: '%' } }, records),
  check({ build }) {
    const findings: StepFinding[] = [];
    visitServed(build, ({ key, values, collection, definition: { kind, unit } = {} }) => {
      const largest = kind === 'percentage' ? largestOf(values.keys()) : 0;
      if (largest === 0 || isShownRight(largest, unit)) return true;
      const name = `"${key}" of ${collection}`;
      findings.push({
        ...{ of: `${collection}.${key}`, place: placeOfDictionary(build) },
        found:
          unit === undefined
            ? `no unit of the percentage ${name}, whose largest value is ${largest}`
            : `at most ${largest} in the percentage ${name}, in the unit "${unit}"`,
        expected: 'a unit in which the values are what the game shows',
        fix: 'say "unit": "fraction: 0.05 is 5 %" if 0.05 is 5 %, or "unit": "%" if 5 is 5 %',
      });
      return true;
    });
    return findings;
  },
};

/** Whether the unit can be that of a percentage with this largest value: a fraction, or a number of hundredths that is above 1. */
function isShownRight(largest: number, unit: string | undefined): boolean {
  if (unit === undefined) return false;
  return unit.startsWith('fraction') ? largest >= MIN_SHOWN : largest > 1;
}

function largestOf(values: Iterable<unknown>): number {
  let largest = 0;
  for (const value of values) if (typeof value === 'number') largest = Math.max(largest, Math.abs(value));
  return largest;
}
