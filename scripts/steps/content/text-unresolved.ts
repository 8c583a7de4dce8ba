import { isWithin } from '../overrides.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { Content, ContentCheck } from './content.ts';
import { reportTexts } from './report-texts.ts';
import { findTextFault, isUnresolved } from './text-faults.ts';

const named = (name: string) => ({
  '1.0/characters.json': exampleRecords(3, (index) => (index === 2 ? { name } : {})),
});

export const textUnresolvedCheck: ContentCheck = {
  name: 'text-unresolved',
  description: 'Names are texts, not keys, hashes or templates of texts; no text is undefined, null or NaN.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: named('THRM-EX 2077'),
  fails: named('Avatar_Miyabi_Name'),
  check: (content) =>
    reportTexts(
      content,
      ({ faults }) => faults.get('unresolved'),
      'keys, hashes or templates instead of texts',
      { expected: 'texts', fix: 'look the texts up in the mapping, or wait until upstream has them' },
    ).map((finding) => (isOfNewRecords(content, finding) ? { ...finding, minor: true } : finding)),
};

/** Whether all names that are no texts are of new records of a dataset: nothing is lost, and upstream has the texts of new records later, mostly. */
function isOfNewRecords({ lists, before }: Content, { of }: StepFinding): boolean {
  const list = lists.find((each) => isWithin(of, each.list));
  const recordsBefore = list && before?.lists.get(list.list)?.byId;
  if (list === undefined || recordsBefore === undefined || list.list === 'characters') return false;
  const keys = list.texts.flatMap(({ key, faults }) => (faults.has('unresolved') ? [key] : []));
  if (keys.some((key) => key.includes('.'))) return false;
  const isFaulty = (value: unknown) =>
    typeof value !== 'string' || isUnresolved(value) || findTextFault(value) === 'unresolved';
  return list.records.every(
    (record) =>
      !recordsBefore.has(String(record.id)) ||
      !keys.some((key) => Object.hasOwn(record, key) && isFaulty(record[key])),
  );
}
