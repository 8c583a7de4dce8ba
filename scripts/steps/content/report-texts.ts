import { type Finding, quoteValue } from '../../findings/findings.ts';
import { commonPath, quoteKeys } from '../report-explained.ts';
import type { StepFinding } from '../step.ts';
import type { Content, ListContent } from './content.ts';
import type { Occurrence, TextSurvey } from './text-survey.ts';

/** An attribute whose texts have the same fault, and where. */
export interface FaultyAttribute {
  survey: TextSurvey;
  occurrence: Occurrence;
}

/**
 * Reports the texts of a build that have a fault: one finding per list.
 *
 * @param select the fault of an attribute; undefined if it has none
 * @param what the texts are, as "texts with replacement characters"
 */
export function reportTexts(
  { lists }: Content,
  select: (survey: TextSurvey) => Occurrence | undefined,
  what: string,
  more: Pick<Finding, 'expected' | 'fix'>,
): StepFinding[] {
  return lists.flatMap((list): StepFinding[] => {
    const faulty = list.texts.flatMap((survey): FaultyAttribute[] => {
      const occurrence = select(survey);
      return occurrence ? [{ survey, occurrence }] : [];
    });
    const [first] = faulty;
    if (first === undefined) return [];
    const count = faulty.reduce((sum, { occurrence }) => sum + occurrence.count, 0);
    const all = faulty.reduce((sum, { survey }) => sum + survey.texts, 0);
    // One damaged text of thousands is a fault of the game; that of a character's name is seen by all.
    const isMinor =
      count < MIN_FAULTY &&
      count < all * MIN_FAULTY_SHARE &&
      !faulty.some((each) => isRosterName(list, each));
    return [
      {
        of: [list.list, ...commonPath(keysOf(faulty))].join('.'),
        place: placeOf(list, first.occurrence),
        found: `${count} ${what} in ${quoteKeys(faulty.map(({ survey }) => survey))} of ${list.list}: ${quoteValue(first.occurrence.text)}${ownerOf(list, first.occurrence)}`,
        ...more,
        count: countRecords(faulty),
        ...(isMinor && { severity: 'warning', minor: true }),
      },
    ];
  });
}

/** The attributes; those of several languages are one, so that a text that upstream lacks is the same fault in one language or in all. */
function keysOf(faulty: readonly FaultyAttribute[]): string[] {
  const [first, ...others] = faulty;
  if (first && others.length === 0) return [first.survey.key];
  return [...new Set(faulty.map(({ survey }) => keyWithoutLanguage(survey)))];
}

function keyWithoutLanguage({ key, language }: TextSurvey): string {
  return language && key.endsWith(`_${language.code}`) ? key.slice(0, -language.code.length - 1) : key;
}

/** How many texts have the fault; those of several languages in one record count once. */
function countRecords(faulty: readonly FaultyAttribute[]): number {
  const counts = new Map<string, number>();
  for (const { survey, occurrence } of faulty) {
    const key = keyWithoutLanguage(survey);
    counts.set(key, Math.max(counts.get(key) ?? 0, occurrence.count));
  }
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

const MIN_FAULTY = 3;
const MIN_FAULTY_SHARE = 0.01;

function isRosterName({ list }: ListContent, { survey: { key } }: FaultyAttribute): boolean {
  return list === 'characters' && /^name(?:_|$)/.test(key);
}

/** The place of the record with the first fault. */
export function placeOf({ place, compiled }: ListContent, { record }: Occurrence) {
  return compiled[record]?.place ?? place;
}

/** The record of the first fault: ` of record "1001"`. */
export function ownerOf({ records }: ListContent, { record }: Occurrence): string {
  const id = records[record]?.id;
  return typeof id === 'string' ? ` of record "${id}"` : '';
}
