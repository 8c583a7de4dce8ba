import type { JsonObject } from '../../format/dist-format.ts';
import { isWrittenIn, languageOf } from '../content/languages.ts';
import type { FieldChange } from '../field-changes.ts';
import type { ListProfile } from '../profile/profile.ts';
import { exampleRecords } from '../rule.ts';
import { nameSome, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(4, () => ({ name_ja: '名' })) };

export const namesLostCheck: StepCheck<'max_lost_share' | 'min_lost_names'> = {
  name: 'names-lost',
  description: 'A record that had a name in a language still has one.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_lost_share: {
      default: 0.04,
      min: 0,
      max: 1,
      help: 'the share of names of which the loss is a warning',
    },
    min_lost_names: { default: 3, min: 1, max: 1e9, help: 'the loss of fewer names is a warning' },
  },
  // The fifth character is new.
  passes: {
    ...before,
    '1.1/characters.json': exampleRecords(5, (index) => (index < 4 ? { name_ja: '新' } : {})),
  },
  fails: {
    ...before,
    '1.1/characters.json': exampleRecords(4, (index) => (index < 1 ? { name_ja: '新' } : {})),
  },
  check: ({ lists, before: { build } }, { max_lost_share, min_lost_names }) =>
    lists.flatMap(({ before, after, place, records, changes }) =>
      changes
        .filter(({ key, change }) => change !== 'kind' && isNameIn(after, key))
        .map((change) => ({ ...change, lost: withoutCopies(before, change) }))
        .filter(({ lost }) => lost.length > 0)
        .map(({ key, had, lost }): StepFinding => {
          const first = records.find(({ record }) => record.id === lost[0]);
          const isFew = lost.length < min_lost_names || lost.length <= had * max_lost_share;
          return {
            of: `${after.list}.${key}`,
            ...(isFew && { severity: 'warning' }),
            place: lost.length === had ? place : (first?.place ?? place),
            found: `no "${key}" in ${lost.length} of ${had} records of ${after.list}: ${nameSome(lost)}`,
            expected: `names, as in build ${build}`,
            changed: { attributes: [key], count: lost.length, all: had },
          };
        }),
    ),
};

/**
 * The records that lost a name, except for those whose name in that language was not translated: the one that names no language, in another script. They
 * still have it.
 */
function withoutCopies({ byId }: ListProfile, { key, lost }: FieldChange): readonly string[] {
  const language = languageOf(key);
  if (language === undefined || byId === undefined) return lost;
  const isCopy = ({ name, [key]: text }: JsonObject) =>
    text === name && typeof text === 'string' && isWrittenIn(text, language.scripts) === false;
  return lost.filter((id) => !isCopy(byId.get(id) ?? {}));
}

/** Whether an attribute is the name of a list's records in some language. */
export function isNameIn({ kind }: ListProfile, key: string): boolean {
  return kind === 'list' && /^name(_[^.]+)?$/.test(key);
}
