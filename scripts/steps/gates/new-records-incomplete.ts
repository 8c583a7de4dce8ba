import { countOf } from '../../lib/count-of.ts';
import { exampleRecords } from '../rule.ts';
import { valueAt } from '../field-changes.ts';
import { isEmpty } from '../profile/attribute-profile.ts';
import { commonPath, quoteKeys } from '../report-explained.ts';
import { type ListStep, nameSome, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(10, () => ({ atk: 5 })) };
const without = (count: number) => ({
  '1.1/characters.json': exampleRecords(13, (index) => (index < 13 - count ? { atk: 5 } : {})),
});

export const newRecordsIncompleteCheck: StepCheck<'min_records' | 'usual_share'> = {
  name: 'new-records-incomplete',
  description: 'Most new records of a list have the attributes that nearly all others have.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    min_records: { default: 2, min: 1, max: 1e9, help: 'fewer incomplete new records are not reported' },
    usual_share: {
      default: 0.95,
      min: 0,
      max: 1,
      help: 'the share of the other records that have an attribute which new records need',
    },
  },
  passes: { ...before, ...without(1) },
  fails: { ...before, ...without(2) },
  check: ({ lists, before: { build } }, { min_records, usual_share }) =>
    lists.flatMap((list): StepFinding[] => {
      const added = findAdded(list);
      if (added.length < min_records) return [];
      const lacking = findUsual(list, usual_share).flatMap(({ key, path }) => {
        const ids = added.filter(([, record]) => isEmpty(valueAt(record, path))).map(([id]) => id);
        return ids.length >= min_records && ids.length > added.length / 2 ? [{ key, ids }] : [];
      });
      const [first] = lacking;
      if (first === undefined) return [];
      return [
        {
          of: [list.after.list, ...commonPath(lacking.map(({ key }) => key))].join('.'),
          place: list.place,
          found: `no ${quoteKeys(lacking)} in ${first.ids.length} of ${countOf(added.length, 'new record')} of ${list.after.list}: ${nameSome(first.ids)}`,
          expected: `values, as in nearly all records of build ${build}`,
        },
      ];
    }),
};

function findAdded({ before, after, renumbered }: ListStep): [string, (typeof after.records)[number]][] {
  if (before.byId === undefined || after.byId === undefined || renumbered.length > 0) return [];
  return [...after.byId].filter(([id]) => !before.byId?.has(id));
}

/** The attributes that nearly all earlier records have, and that did not vanish from all of them. */
function findUsual({ before, after, changes }: ListStep, share: number) {
  const reported = new Set(changes.map(({ key }) => key));
  return [...before.attributes]
    .filter(([key, { filled }]) => {
      const isUsual = filled >= 10 && filled >= before.records.length * share;
      return isUsual && !reported.has(key) && (after.attributes.get(key)?.filled ?? 0) > 0;
    })
    .map(([key, { path }]) => ({ key, path }));
}
