import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CHANGE_CHECKS } from '../../changes/change-checker.ts';
import { waitForLock } from '../../dist/lock.ts';
import type { ChangedShare, CheckName, Finding } from '../../findings.ts';
import { BUILD_NAME } from '../../format/dist-format.ts';
import { boolean, list, map, object, type Schema, type Static, text } from '../../format/json-schema.ts';
import { overrides } from '../../read/game-schema.ts';
import { parseJson } from '../../read/json.ts';
import { compileSchema, findMismatches } from '../../read/schema.ts';
import { CommandError, isAbsent, replaceFile } from '../../system.ts';
import { countOf, groupBy } from '../../text.ts';
import type { AcceptAfter } from '../source.ts';
import { DAY_MS, type UpstreamBuild } from './builds.ts';

/**
 * The state of a game's upstream: one file in the game's folder, which maintainers edit too. A build of upstream is new, held (with its questions),
 * served, or withdrawn (`skip`); served builds are not in the file.
 */
export const HELD_FILE = 'held.json';

/** How much of a list changed, according to a check. */
export type HeldChange = ChangedShare & { check: string };

/** Datasets that keep their content of the previous build, with the checks that hold them back, as in build.json. */
export type Carried = Record<string, string>;

const texts = list(text());
const at = text({ format: 'instant' });
const changed = list({
  type: 'object',
  required: ['check', 'attributes', 'count', 'all'],
} as Schema<HeldChange>);
const heldBuild = object(
  {},
  {
    // The checked commit, the time of the check, and the build that it was compared with; absent for a first one.
    ...{ commit: text(), at, before: text() },
    // The reasons, one line each, and how much of which list changed.
    ...{ errors: texts, changed },
    // The checks and their subjects, without repeats and without those that the build could carry.
    questions: texts,
    // A hash of what the check depended on: it is repeated only if that has changed.
    tried: text(),
    // A maintainer accepts the findings, takes the build in spite of its odd date, or decides that it is never served.
    ...{ overrides, take: boolean(), skip: boolean() },
  },
);
/** A build of upstream that is not served. */
export type HeldBuild = Static<typeof heldBuild>;
export type Overrides = NonNullable<HeldBuild['overrides']>;

/** The datasets that the newest build carries, by the question that holds each back: since when, and in which builds. */
const carriedQuestions = map(map(object({ at, builds: texts }, { changed })));
export type CarriedQuestions = Static<typeof carriedQuestions>;

const state = object(
  { builds: map(heldBuild, { propertyNames: { pattern: BUILD_NAME } }) },
  {
    carried: carriedQuestions,
    // The last compared upstream commit of each served build.
    seen: map(text()),
  },
);
export type State = Static<typeof state>;
const isState = compileSchema(state);

/** The state of a game, stored in its held.json. */
export class GameState {
  readonly #folder: string;
  content: State;

  private constructor(folder: string, content: State) {
    this.#folder = folder;
    this.content = content;
  }

  /** @throws CommandError if the file is not valid */
  static async read(folder: string): Promise<GameState> {
    const file = path.posix.join(folder, HELD_FILE);
    const written = (await isAbsent(file)) ? '{"builds": {}}' : await readFile(file, 'utf8');
    const parsed = parseJson(written, file);
    if ('value' in parsed && isState(parsed.value)) return new GameState(folder, parsed.value);
    const [fault] = 'value' in parsed ? findMismatches(isState, parsed.value) : [];
    const what = fault ? `${fault.pointer}: ${fault.found}; expected ${fault.expected}` : 'is not JSON';
    throw new CommandError(`${file} ${what}: correct it, or delete it`);
  }

  /** The builds that are not served, by name. */
  get builds(): readonly (readonly [string, HeldBuild])[] {
    return Object.entries(this.content.builds);
  }

  find(build: string): HeldBuild | undefined {
    return Object.hasOwn(this.content.builds, build) ? this.content.builds[build] : undefined;
  }

  /** Reads what a maintainer decided meanwhile. */
  async reread(): Promise<void> {
    this.content = (await GameState.read(this.#folder)).content;
  }

  /** Changes the current file, which another process or a maintainer may have changed since it was read. The file stays as it is if nothing changes. */
  async change(change: (content: State) => void): Promise<void> {
    const busy = `another gamedata is writing ${this.#folder}/${HELD_FILE}: run it again`;
    await waitForLock(path.join(this.#folder, '.held.lock'), () => this.#write(change), { busy });
  }

  async #write(change: (content: State) => void): Promise<void> {
    await this.reread();
    const { content } = this;
    const before = JSON.stringify(content);
    change(content);
    for (const member of ['carried', 'seen'] as const)
      if (Object.keys(content[member] ?? {}).length === 0) delete content[member];
    if (JSON.stringify(content) === before) return;
    const file = path.posix.join(this.#folder, HELD_FILE);
    const isEmpty = Object.keys(content).length === 1 && this.builds.length === 0;
    if (isEmpty) await rm(file, { force: true });
    else await replaceFile(file, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
  }
}

/** The question of a finding: a check and its subject. A finding that recurs in the next build has the same question. */
export function questionOf({ check, of = '' }: Pick<Finding, 'check' | 'of'>): string {
  return `${check} ${of}`.trimEnd();
}

/** The questions of findings, without repeats. */
export function questionsOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(questionOf))];
}

/** How much of lists changed, according to findings. */
export function changesOf(findings: readonly Finding[]): HeldChange[] {
  return findings.flatMap(({ check, changed: share }) => (share ? [{ check, ...share }] : []));
}

/** With more faulty records in a list, the whole dataset is carried, or the build is held back. */
const MAX_CARRIED_RECORDS = 5;

/**
 * Returns what a build can carry from the previous build, if that is enough. @param findings that hold the build back @param known what it already
 * carries
 */
export function findCarried(findings: readonly Finding[], build: string, known: Carried = {}): Carried {
  const carried: Carried = { ...known };
  for (const { carry = [], check, build: of } of findings)
    for (const key of of === undefined || of === build ? carry : [])
      carried[key] = [...new Set([...(carried[key]?.split(', ') ?? []), check])].join(', ');
  for (const [key, checks] of Object.entries(carried)) {
    const list = key.split('/', 1).join('');
    const count = Object.keys(carried).filter((each) => each.startsWith(`${list}/`)).length;
    if (key === list || (count <= MAX_CARRIED_RECORDS && carried[list] === undefined)) continue;
    delete carried[key];
    if (list !== 'characters') carried[list] ??= checks;
  }
  return carried;
}

/** Returns since when and in which builds each question about a carried dataset occurs; questions that no longer occur are dropped. */
export function updateCarried(
  before: CarriedQuestions = {},
  build: string,
  findings: readonly Finding[],
  carried: Carried,
): CarriedQuestions {
  const now = new Date(Date.now()).toISOString();
  const noteAll = (dataset: string) => {
    const asked = findings.filter((finding) => finding.carry?.includes(dataset));
    return groupBy(asked, questionOf).map((group) => {
      const question = questionOf(group[0]);
      const { at = now, builds = [] } = before[dataset]?.[question] ?? {};
      const noted = { at, builds: [...new Set([...builds, build])], changed: changesOf(group) };
      return [question, noted] as const;
    });
  };
  return Object.fromEntries(Object.keys(carried).map((key) => [key, Object.fromEntries(noteAll(key))]));
}

/*
 * Decides which changes are accepted without a person. Upstream repairs damage in its next builds; what it keeps is the new state of the game. The
 * numbers were chosen with `npm run truth` (docs/maintainers/checks.md).
 */

/** Checks that find changed values, which may be real. */
const VALUE_CHECKS: ReadonlySet<string> = new Set<CheckName>([
  'categories-changed',
  'values-changed',
  'values-jumped',
]);
/**
 * Checks that find losses, and values that no build had. Games do remove characters and stats, but upstream may take longer to notice a loss of its
 * own: they are accepted after twice as many builds and four times as many days. All other checks find what cannot be right, and wait for a person.
 */
const LOSS_CHECKS: ReadonlySet<string> = new Set<CheckName>([
  'names-changed',
  'records-lost',
  'values-lost',
  'values-moved',
]);
/** Different names were swapped, or are in another language; they count as losses. */
const NAME_ATTRIBUTE = /(?:^|\.)name(_\w+)?$/;
const NEARLY_ALL = 0.9;
/** If more than this share of characters or of a dataset is lost, the dump is broken. */
const MAX_LOST_CHARACTERS = 0.1;
const MAX_LOST_RECORDS = 0.5;
/** If the factor moved by more, it is a different change. */
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
 * have. Upstream could forge dates, so the build must also have been held back here for that long.
 *
 * @param builds those of upstream
 * @param times in ms since 1970: the release of the game's newest build, since anything held back before it was not kept; and the present
 */
export function findDueBuilds(
  held: Pick<GameState, 'builds'>,
  builds: readonly Pick<UpstreamBuild, 'build' | 'released_at'>[],
  after: AcceptAfter,
  { newest, now }: { newest: number; now: number },
): AcceptedBuild[] {
  const dates = new Map(builds.map(({ build, released_at }) => [build, Date.parse(released_at)]));
  const open = held.builds.flatMap(([build, known]) => {
    const { overrides, skip, questions = [], changed = [] } = known;
    const date = dates.get(build) ?? 0;
    // Builds about which a person decided are no longer open.
    return overrides || skip || !(date > newest) ? [] : [{ ...known, build, date, questions, changed }];
  });
  open.sort((a, b) => a.date - b.date);
  return open.flatMap((known, index) => {
    const { build, date, questions, changed, at: since = '' } = known;
    if (questions.length === 0 || !canBeRight(questions, changed)) return [];
    const later = open.slice(index + 1).filter((each) => each.before === known.before && each.date > date);
    const mended = later.findIndex((each) => !isKeptBy(known, each));
    const by = mended === -1 ? later : later.slice(0, mended);
    // The first builds that are enough: later ones may have a change of their own, which is decided next.
    const isEnough = (count: number, ms: number) => isKeptLong(after, questions, changed, count, ms / DAY_MS);
    const enough = by.findIndex((each, at) => isEnough(at + 1, each.date - date));
    const last = by[enough];
    if (last === undefined || !isEnough(enough + 1, now - Date.parse(since))) return [];
    const days = Math.floor((last.date - date) / DAY_MS);
    return [{ build, questions, by: by.slice(0, enough + 1).map((each) => each.build), days }];
  });
}

/** Whether a later build is held back for the same reason or a wider one, with the same change. */
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
export function findDueDatasets(
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
 * as long in twice as many builds; or in fewer builds for longer: builds × days must be as large.
 */
function isKeptLong(
  { builds, days }: AcceptAfter,
  questions: readonly string[],
  changed: readonly HeldChange[],
  count: number,
  since: number,
): boolean {
  const isChange = (question: string) =>
    VALUE_CHECKS.has(splitQuestion(question).check) && !NAME_ATTRIBUTE.test(question);
  const isOneOfMost = changed.some((each) => each.value !== undefined && each.count > each.all / 2);
  if (questions.every(isChange) && countEmptied(changed) === 0 && !isOneOfMost)
    return count >= builds && since >= days;
  return count >= builds && since >= 4 * days && count * since >= 2 * builds * 4 * days;
}

/** Whether the findings can be the new state of the game. A game may give up one attribute; two at once in nearly all records are damage. */
function canBeRight(questions: readonly string[], changed: readonly HeldChange[]): boolean {
  const checks = questions.map((question) => splitQuestion(question).check);
  const areKnown = checks.every((check) => VALUE_CHECKS.has(check) || LOSS_CHECKS.has(check));
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
  return factor < 0 || (count > all / 2 && (isOne || attributes.some((key) => NAME_ATTRIBUTE.test(key))));
}

/** The number of attributes that nearly all records of a list lost, such as stats that are all 0. */
function countEmptied(changed: readonly HeldChange[]): number {
  const isLost = ({ check, value }: HeldChange) =>
    check === 'values-lost' || (check === 'values-changed' && value !== undefined);
  const emptied = changed.filter((each) => isLost(each) && each.count >= each.all * NEARLY_ALL);
  return emptied.flatMap(({ attributes }) => attributes).length;
}

/** The overrides that accept questions without a person. */
export function overridesOf({ questions, by, days }: AcceptedBuild): Overrides {
  const reason = `Accepted without a person: upstream keeps it in ${by.join(', ')}, ${countOf(days, 'day')} later.`;
  return questions.map((question) => ({ ...splitQuestion(question), reason }));
}

const LIFTABLE: ReadonlySet<string> = new Set(CHANGE_CHECKS.map(({ name }) => name));

/** The overrides that accept questions for a person. What no override lifts is asked again, until it is mended. */
export function overridesOfPerson(questions: readonly string[]): Overrides {
  const all = questions.map((question) => ({ ...splitQuestion(question), reason: 'Accepted by a person.' }));
  return all.filter(({ check }) => LIFTABLE.has(check));
}

function splitQuestion(question: string): { check: string; of?: string } {
  const [check = '', ...of] = question.split(' ');
  return { check, ...(of.length > 0 && { of: of.join(' ') }) };
}
