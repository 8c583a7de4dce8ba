import { DefinitionsOf } from '../../../core/dictionary/definitions.ts';
import { surveyBuild, visitSurvey } from '../../../core/dictionary/survey.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from '../content/content.ts';
import { dictionaryExample, placeOfDictionary } from '../dictionary/dictionary-example.ts';

/** A percentage that is smaller than this in all records is one that no game shows. */
const MIN_SHOWN = 0.005;
const rate = { description: 'The rate.', kind: 'percentage' };
const described = { id: { description: 'The id.' }, name: { description: 'The name.' } };
const records = exampleRecords(3, () => ({ rate: 0.05 }));

export const percentageUnitCheck: ContentCheck = {
  name: 'percentage-unit',
  description:
    'A percentage has a unit, `fraction: 0.05 is 5 %` or `%`, and its largest value in that unit is at least 0.5 %.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: dictionaryExample({ ...described, rate: { ...rate, unit: 'fraction: 0.05 is 5 %' } }, records),
  fails: dictionaryExample({ ...described, rate: { ...rate, unit: '%' } }, records),
  check({ build }) {
    const { attributes } = build.source.definition;
    const findings: StepFinding[] = [];
    if (attributes === undefined) return findings;
    for (const [collection, survey] of surveyBuild(build)) {
      const definitions = new DefinitionsOf(attributes, collection);
      visitSurvey(survey.attributes, ({ key, values }) => {
        const { kind, unit } = definitions.find(key) ?? {};
        const largest = kind === 'percentage' ? largestOf(values.keys()) : 0;
        const isFraction = unit?.startsWith('fraction') === true;
        const shown = isFraction ? largest : largest / 100;
        const isWrong =
          largest > 0 && (unit === undefined || shown < MIN_SHOWN || (!isFraction && largest <= 1));
        if (isWrong) {
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
        }
        return true;
      });
    }
    return findings;
  },
};

function largestOf(values: Iterable<unknown>): number {
  let largest = 0;
  for (const value of values) if (typeof value === 'number') largest = Math.max(largest, Math.abs(value));
  return largest;
}
