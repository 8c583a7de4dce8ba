import type { CheckName, Finding } from '../../findings.ts';
import { countOf } from '../../text.ts';
import type { AcceptAfter } from '../source.ts';
import { DAY_MS, type UpstreamBuild } from './builds.ts';
import {
  type CarriedQuestions,
  type GameState,
  type HeldBuild,
  type HeldChange,
  questionsOf,
} from './state.ts';

/*
 * Decides which changes are accepted without a person. Upstream repairs damage in its next builds; what it keeps is the new state of the game. The
 * numbers were chosen with `npm run truth` (docs/maintainers/checks.md).
 */

/** Checks that find changed values, which may be real. */
const OF_CHANGES: ReadonlySet<string> = new Set<CheckName>([
  'categories-changed',
  'values-changed',
  'values-jumped',
]);
/**
 * Checks that find losses, and values that no build had. Games do remove characters and stats, but upstream may take longer to notice a loss of its
 * own: they are accepted after twice as many builds and four times as many days. All other checks find what cannot be right, and wait for a person.
 */
const OF_LOSSES: ReadonlySet<string> = new Set<CheckName>([
  'names-changed',
  'records-lost',
  'values-lost',
  'values-moved',
]);
/** Different names were swapped, or are in another language; they count as losses. */
const OF_NAMES = /(?:^|\.)name(_\w+)?$/;
const NEARLY_ALL = 0.9;
/** If more than this share of characters or of a dataset is lost, the dump is broken. */
const MAX_LOST_CHARACTERS = 0.1;
const MAX_LOST_RECORDS = 0.5;
/** A change whose factor moved by more is another one: other records may have changed too. */
const MAX_FACTOR_SHIFT = 0.1;
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T|$)/;

/** A held build that is to be accepted, and the later builds with its change. */
export interface AcceptedBuild {
  build: string;
  questions: readonly string[];
  by: readonly string[];
  /** How many days later the last of them was made. */
  days: number;
}

/**
 * Finds the held builds whose change upstream seems to keep: enough of the next builds are held back for the same reason, whatever other reasons they
 * have. The dates of builds are upstream's own, so a build must be held back here as long.
 *
 * @param builds those of upstream
 * @param times in ms since 1970: the release of the game's newest build, since anything held back before it was not kept; and the present
 */
export function findKept(
  held: Pick<GameState, 'builds'>,
  builds: readonly Pick<UpstreamBuild, 'build' | 'released_at'>[],
  after: AcceptAfter,
  { newest, now }: { newest: number; now: number },
): AcceptedBuild[] {
  const dates = new Map(builds.map(({ build, released_at }) => [build, Date.parse(released_at)]));
  return held.builds.flatMap(([build, known]) => {
    const { questions = [], at: since = '', before, changed = [] } = known;
    const at = dates.get(build);
    const isPossible = isOpen(known) && questions.length > 0 && canBeRight(questions, changed);
    if (at === undefined || !(at > newest) || !isPossible) return [];
    const later = held.builds
      .flatMap(([name, other]) => {
        const date = dates.get(name) ?? at;
        return date > at && other.before === before && isOpen(other) ? [{ name, date, ...other }] : [];
      })
      .sort((a, b) => a.date - b.date);
    const mended = later.findIndex((other) => !isKeptBy(known, other));
    const by = mended === -1 ? later : later.slice(0, mended);
    // The first builds that are enough: later ones may have a change of their own, which is decided next.
    const isEnough = (count: number, ms: number) => isKeptLong(after, questions, changed, count, ms / DAY_MS);
    const enough = by.findIndex(({ date }, index) => isEnough(index + 1, date - at));
    if (enough === -1 || !isEnough(enough + 1, now - Date.parse(since))) return [];
    const days = Math.floor(((by[enough]?.date ?? at) - at) / DAY_MS);
    return [{ build, questions, by: by.slice(0, enough + 1).map(({ name }) => name), days }];
  });
}

/** Whether a later build is held back for the same, or the same about a larger part, and the change did not change again. */
function isKeptBy({ questions = [], changed = [] }: HeldBuild, later: HeldBuild): boolean {
  const asked = later.questions ?? [];
  const areAsked = questions.every((question) =>
    asked.some((each) => question === each || question.startsWith(`${each}.`)),
  );
  const isOther = (then: HeldChange, now: HeldChange) =>
    then.check === now.check &&
    then.attributes.join() === now.attributes.join() &&
    (then.value !== now.value || Math.abs((now.factor ?? 1) / (then.factor ?? 1) - 1) > MAX_FACTOR_SHIFT);
  return areAsked && !changed.some((then) => later.changed?.some((now) => isOther(then, now)));
}

/**
 * Finds the questions about carried datasets that upstream has kept as long as questions about a whole build must be: the same builds, days and
 * checks.
 *
 * @param carried as in the state
 * @param findings the findings in the next build
 * @returns one for each dataset whose questions are all kept
 */
export function findRipe(
  carried: CarriedQuestions,
  findings: readonly Finding[],
  after: AcceptAfter | false,
  build: string,
): AcceptedBuild[] {
  if (after === false) return [];
  return Object.entries(carried).flatMap(([dataset, known]) => {
    const questions = questionsOf(findings.filter((finding) => finding.carry?.includes(dataset)));
    const daysSince = (at = '') => (Date.now() - Date.parse(at)) / DAY_MS;
    const areKept = questions.every((question) => {
      const { at, builds = [], changed = [] } = known[question] ?? {};
      const isLong = isKeptLong(after, [question], changed, builds.length, daysSince(at));
      return isLong && canBeRight([question], changed);
    });
    if (questions.length === 0 || !areKept) return [];
    const since = questions.map((question) => known[question]?.at ?? '').sort()[0];
    const by = [...new Set(questions.flatMap((question) => known[question]?.builds ?? []))];
    return [{ build, questions, by, days: Math.floor(daysSince(since)) }];
  });
}

/**
 * Whether a number of later builds and of days is enough. A loss, also that of an attribute with one value in most records, must be kept four times
 * as long in twice as many builds; or in fewer builds for longer, so that the product is the same.
 */
function isKeptLong(
  { builds, days }: AcceptAfter,
  questions: readonly string[],
  changed: readonly HeldChange[],
  count: number,
  since: number,
): boolean {
  const isChange = (question: string) =>
    OF_CHANGES.has(splitQuestion(question).check) && !OF_NAMES.test(question);
  const isOneOfMost = changed.some((each) => each.value !== undefined && each.count > each.all / 2);
  if (questions.every(isChange) && countEmptied(changed) === 0 && !isOneOfMost)
    return count >= builds && since >= days;
  return count >= builds && since >= 4 * days && count * since >= 2 * builds * 4 * days;
}

/** Whether the findings can be the new state of the game. A game may give up one attribute; two at once in nearly all records are damage. */
function canBeRight(questions: readonly string[], changed: readonly HeldChange[]): boolean {
  const areKnown = questions.every((question) => {
    const { check } = splitQuestion(question);
    return OF_CHANGES.has(check) || OF_LOSSES.has(check);
  });
  return areKnown && !changed.some(isDamage) && countEmptied(changed) < 2;
}

/**
 * Numbers that lost their sign, new names of most records, or texts that became one value in most of them: no game gives up the element of its units.
 * It may give up one stat, or open all its quests on one date.
 */
function isDamage({ check, attributes, count, all, factor = 1, value }: HeldChange): boolean {
  if (check === 'records-lost')
    return count > all * (attributes.includes('characters') ? MAX_LOST_CHARACTERS : MAX_LOST_RECORDS);
  const areStats = attributes.every((attribute) => attribute.startsWith('stats.'));
  const isOne =
    typeof value === 'string'
      ? !ISO_DATE.test(value)
      : value !== undefined && check === 'categories-changed' && !areStats;
  return factor < 0 || (count > all / 2 && (isOne || attributes.some((key) => OF_NAMES.test(key))));
}

/** The number of attributes that nearly all records of a list lost, such as stats that are all 0. */
function countEmptied(changed: readonly HeldChange[]): number {
  return changed
    .filter(
      ({ check, value }) => check === 'values-lost' || (check === 'values-changed' && value !== undefined),
    )
    .filter(({ count, all }) => count >= all * NEARLY_ALL)
    .reduce((sum, { attributes }) => sum + attributes.length, 0);
}

/** Whether no person has decided about a build. */
function isOpen({ skip, overrides }: Pick<HeldBuild, 'skip' | 'overrides'>): boolean {
  return !skip && overrides === undefined;
}

/** The overrides that accept questions without a person. */
export function overridesOf({ questions, by, days }: AcceptedBuild): NonNullable<HeldBuild['overrides']> {
  const kept = `upstream keeps it in ${by.join(', ')}, ${countOf(days, 'day')} later`;
  return overridesFor(questions, `Accepted without a person: ${kept}.`);
}

export function overridesFor(
  questions: readonly string[],
  reason: string,
): NonNullable<HeldBuild['overrides']> {
  return questions.map((question) => ({ ...splitQuestion(question), reason }));
}

function splitQuestion(question: string): { check: string; of?: string } {
  const space = question.indexOf(' ');
  if (space === -1) return { check: question };
  return { check: question.slice(0, space), of: question.slice(space + 1) };
}
