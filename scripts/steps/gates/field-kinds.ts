import { quoteValue } from '../../findings/findings.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { Place } from '../../findings/findings.ts';
import { printsAsNumber } from '../../lib/number-text.ts';
import { recordError } from '../../check/check.ts';
import { describeKind, type Kind } from '../../check/kinds.ts';
import { exampleRecords } from '../rule.ts';
import { valueAt } from '../field-changes.ts';
import type { AttributeProfile } from '../profile/attribute-profile.ts';
import type { ListProfile } from '../profile/profile.ts';
import { describeList, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/items.json': exampleRecords(2, () => ({ cost: 1 })) };

export const fieldKindsCheck: StepCheck = {
  name: 'field-kinds',
  description: 'An attribute keeps its kind: number, text, boolean, object or a list of one of them.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: { ...before, '1.1/items.json': exampleRecords(2, () => ({ cost: 1.5 })) },
  fails: { ...before, '1.1/items.json': exampleRecords(2, () => ({ cost: '1' })) },
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ before, after, place, records, changes }) => [
      ...changes
        .filter(({ change }) => change === 'kind')
        .map(({ key }): StepFinding => {
          const { path, kind, first } = after.attributes.get(key) as AttributeProfile;
          const earlier = before.attributes.get(key)?.kind as Kind;
          const culprit = earlier.types[0] === 'number' ? findCulprit(after, path) : undefined;
          const found = culprit
            ? `${quoteValue(culprit.text)}, which may be why all values were read as texts`
            : describeKind(kind as Kind);
          const expected = `${describeKind(earlier)}, as "${key}" was in build ${build}`;
          const record = records[culprit?.position ?? first];
          return {
            of: `${after.list}.${key}`,
            ...(record
              ? recordError(record, pointerTo('', ...path), found, expected)
              : { place, found: `${found} at "${key}" of ${describeList(after)}`, expected }),
          };
        }),
      ...findMixed(before, after, place, build),
    ]),
};

/** Fewer values may have been of one kind by chance. */
const MIN_VALUES = 5;

/** Attributes inside lists whose values were all numbers and are partly texts now, or the other way round. */
function findMixed(before: ListProfile, after: ListProfile, place: Place, build: string): StepFinding[] {
  return [...before.values.values()].flatMap(({ key, numbers, texts }): StepFinding[] => {
    const later = after.values.get(key);
    if (later === undefined || before.attributes.has(key) || numbers + texts < MIN_VALUES) return [];
    const [was, count] = texts === 0 ? ['numbers', later.texts] : ['texts', later.numbers];
    if (count === 0 || (numbers > 0 && texts > 0)) return [];
    const is = texts === 0 ? 'texts' : 'numbers';
    return [
      {
        ...{ of: `${after.list}.${key}`, place },
        found: `${is} as "${key}" of ${after.list}, in ${count} of ${later.numbers + later.texts} values`,
        expected: `${was}, as in build ${build}`,
      },
    ];
  });
}

/**
 * The first text that is not a number, if other values of the attribute are numbers written as texts. One such cell makes a whole column of
 * a CSV file text.
 */
function findCulprit(
  { records }: ListProfile,
  path: readonly string[],
): { position: number; text: string } | undefined {
  let numbers = 0;
  let culprit: { position: number; text: string } | undefined;
  for (const [position, record] of records.entries()) {
    const text = valueAt(record, path);
    if (typeof text !== 'string') continue;
    if (printsAsNumber(text)) numbers++;
    else culprit ??= { position, text };
  }
  return numbers > 0 ? culprit : undefined;
}
