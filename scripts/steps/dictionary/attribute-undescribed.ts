import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from '../content/content.ts';
import { dictionaryExample, placeOfDictionary, visitServed } from './dictionary.ts';

const described = { id: { description: 'The id.' }, name: { description: 'The name.' } };
const records = exampleRecords(3, (index) => ({ atk: index }));

export const attributeUndescribedCheck: ContentCheck = {
  name: 'attribute-undescribed',
  description: 'If a game describes its attributes, every attribute that it serves has a description.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: dictionaryExample({ ...described, atk: { description: 'The attack.' } }, records),
  fails: dictionaryExample(described, records),
  check({ build }) {
    const findings: StepFinding[] = [];
    visitServed(build, ({ key, count, collection, definition }) => {
      const isDescribed = definition?.description !== undefined;
      if (!isDescribed && count > 0) {
        findings.push({
          of: `${collection}.${key}`,
          place: placeOfDictionary(build),
          found: `no description of "${key}" in ${collection}`,
          expected: 'a description of each attribute that is served',
          fix: `describe it in game.json: {"attributes": {"${collection}": {"${key}": {"description": "…"}}}}`,
        });
      }
      // What is inside an attribute without a description has the same cause.
      return isDescribed;
    });
    return findings;
  },
};
