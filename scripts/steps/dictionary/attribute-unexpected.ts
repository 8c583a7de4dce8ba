import type { CollectionSurvey, Surveyed } from '../../dictionary/survey.ts';
import type { AttributeKind, Scalar } from '../../format/attributes.ts';
import type { AttributeDefinition } from '../../read/game/attribute-definition.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from '../content/content.ts';
import { dictionaryExample, placeOfDictionary, visitServed } from './dictionary.ts';

const MAX_EXAMPLES = 3;
const MIN_OTHERS = 5;
const MIN_OTHERS_SHARE = 0.02;
const definitions = {
  id: { description: 'The id.' },
  name: { description: 'The name.' },
  class: { description: 'The class.', values: { 1: 'Saber', 2: 'Archer' } },
};

export const attributeUnexpectedCheck: ContentCheck = {
  name: 'attribute-unexpected',
  description:
    'The values of an attribute are as the dictionary says: in the range, one of the values, of the kind, and ids of the collection.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: dictionaryExample(
    definitions,
    exampleRecords(3, () => ({ class: 1 })),
  ),
  fails: dictionaryExample(
    definitions,
    exampleRecords(3, () => ({ class: 3 })),
  ),
  check({ build, before, lists }) {
    const findings: StepFinding[] = [];
    visitServed(build, ({ collection, definition, collections, ...attribute }) => {
      for (const { expected, isExpected } of definition ? expectations(definition, collections) : []) {
        const wrong = [...attribute.values.keys()].filter((value) => !isExpected(value));
        if (wrong.length === 0) continue;
        const { length: records = 0 } = lists.find(({ list }) => list === collection)?.records ?? [];
        const { length: earlier = records } = before?.lists.get(collection)?.records ?? [];
        // New records bring new values; a value that many others got is damage.
        const count = wrong.reduce<number>((sum, value) => sum + (attribute.values.get(value) ?? 0), 0);
        const others = count - Math.max(0, records - earlier);
        const isDamage = before !== undefined && others >= Math.max(MIN_OTHERS, records * MIN_OTHERS_SHARE);
        findings.push({
          ...(isDamage && { severity: 'error' as const }),
          ...{ of: `${collection}.${attribute.key}`, place: placeOfDictionary(build) },
          ...{ found: describeWrong(collection, attribute, wrong), expected, count: wrong.length },
        });
      }
      return true;
    });
    return findings;
  },
};

interface Expectation {
  /** In words, for a finding. */
  expected: string;
  isExpected(value: Scalar): boolean;
}

function expectations(
  { expected = {}, values, kind, ref }: AttributeDefinition,
  collections: ReadonlyMap<string, CollectionSurvey>,
): Expectation[] {
  const result: Expectation[] = [];
  const { min = -Infinity, max = Infinity } = expected;
  if (min > -Infinity || max < Infinity) {
    const isExpected = (value: Scalar) => typeof value === 'number' && value >= min && value <= max;
    result.push({ expected: `numbers from ${min} to ${max}, as the dictionary says`, isExpected });
  }
  if (values) {
    const allowed = new Set(Array.isArray(values) ? values.map(String) : Object.keys(values));
    const isExpected = (value: Scalar) => allowed.has(String(value));
    result.push({ expected: 'only values that the dictionary lists', isExpected });
  }
  const form = kind && FORMS[kind];
  if (form) result.push(form);
  // Earlier builds may lack the collection.
  const ids = ref === undefined ? undefined : collections.get(ref)?.attributes.get('id')?.values;
  if (ids) result.push({ expected: `ids of ${ref}`, isExpected: (value) => ids.has(value) });
  return result;
}

const isNumber = (value: Scalar) => typeof value === 'number';
const hasForm = (form: RegExp) => (value: Scalar) => typeof value === 'string' && form.test(value);

const FORMS: Partial<Record<AttributeKind, Expectation>> = {
  number: { expected: 'numbers', isExpected: isNumber },
  percentage: { expected: 'numbers', isExpected: isNumber },
  date: {
    expected: 'dates in ISO 8601',
    isExpected: hasForm(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/),
  },
  color: { expected: 'colors as #rrggbb', isExpected: hasForm(/^#[0-9a-f]{6}$/i) },
  image: { expected: 'addresses of images', isExpected: hasForm(/^https?:\/\//) },
};

function describeWrong(collection: string, { key }: Surveyed, wrong: readonly Scalar[]): string {
  const examples = wrong.slice(0, MAX_EXAMPLES).map((value) => JSON.stringify(value));
  const more = wrong.length > MAX_EXAMPLES ? ` and ${wrong.length - MAX_EXAMPLES} more` : '';
  return `${examples.join(', ')}${more} in "${key}" of ${collection}`;
}
