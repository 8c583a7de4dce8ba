// The costs of raising a character: the materials in the steps of its record, summed.
import { type Attribute, wordsOf } from '../../scripts/format/attributes.ts';
import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS } from '../data/game-build.ts';
import { parseWhole, type RawQuery, readWhole, splitList, valuesOf } from '../http/incoming.ts';
import { HttpProblem, invalidParameter, quote } from '../http/problem.ts';
import { inLanguage } from './lists.ts';
import { findRow } from './records.ts';
import { LANG, listParameter, parameter, route } from './route.ts';

/** An amount of a material or of money. Money that is not an item of the game has no id. */
export interface Cost {
  id?: string;
  name: string;
  count: number;
}

/** The steps of one list of a record that cost something, such as its ascensions. */
export interface CostList {
  /** The dotted key of the list. */
  key: string;
  /** The id of the skill that the list belongs to. */
  of?: string;
  /** The names of the skills that have these steps, each for itself; empty if the dictionary has none. */
  skills: readonly string[];
  steps: readonly JsonObject[];
  /** The level that each step leads to. */
  reached: readonly number[];
}

/** Members of a step that are amounts of money, or of shards of the character; and what materials that are money are called. */
const MONEY = new Set(['qp', 'mana', 'mora', 'lmd', 'credits', 't-creds', 'dennies', 'shards']);
/** Lists about skills: `talents` selects their steps; `from` and `to` select those of all other lists. */
const OF_SKILLS = /core|skill|talent|trace|append|master/i;
/** Lists of what players raise last. */
const LATER = /append|enhancement/;
const MAX_LEVEL = 999;

/**
 * Finds the lists of a record whose elements have `materials`: the steps, each with its costs. Those to a rarity begin above that of the record.
 *
 * @param skillsOf returns what the dictionary says of a list: the skills that have its steps
 */
export function findCosts(record: JsonObject, skillsOf: (key: string) => string[] | undefined): CostList[] {
  const parts: CostList[] = [];
  const visit = (object: JsonObject, prefix: string, of: Pick<CostList, 'of'>): void => {
    for (const name in object) {
      const value = object[name];
      if (!Array.isArray(value)) continue;
      const rows = value.filter(isObject);
      const steps = rows.filter((row) => hasCost(row) && !(Number(row.rarity) <= Number(record.rarity)));
      const key = prefix + name;
      if (steps.length > 0)
        parts.push({ key, ...of, skills: skillsOf(key) ?? [''], steps, reached: steps.map(levelOf) });
      else for (const row of rows) visit(row, `${key}.`, typeof row.id === 'string' ? { of: row.id } : {});
    }
  };
  visit(record, '', {});
  return parts.sort((a, b) => Number(LATER.test(a.key)) - Number(LATER.test(b.key)));
}

/** Sums the costs of steps: money, then the materials in the order in which they are first needed. */
export function sumCosts(steps: readonly JsonObject[]): Cost[] {
  const sums = new Map<string, Cost>();
  for (const step of steps) {
    const { materials } = step;
    if (Array.isArray(materials))
      for (const each of materials) if (isObject(each)) add(sums, each.count, each.name, each.id);
    for (const name in step) if (MONEY.has(name)) add(sums, step[name], wordsOf(name));
  }
  const isMoney = ({ id, name }: Cost) => id === undefined || MONEY.has(name.toLowerCase());
  return [...sums.values()].sort((a, b) => Number(isMoney(b)) - Number(isMoney(a)));
}

/** Whether a step costs anything. */
export const hasCost = (step: JsonObject) =>
  (Array.isArray(step.materials) && step.materials.length > 0) ||
  Object.keys(step).some((name) => MONEY.has(name) && Number(step[name]) > 0);

/** Whether a member of a step has costs. */
export const isCost = (name: string) => name === 'materials' || MONEY.has(name);

/** Adds an amount to that of its material. @param sums by id, or by the name of money */
function add(sums: Map<string, Cost>, count?: Json, name?: Json, id?: Json): void {
  const word = typeof name === 'string' ? name : id;
  if (typeof count !== 'number' || count <= 0 || typeof word !== 'string') return;
  const key = typeof id === 'string' ? id : ` ${word}`;
  const sum = sums.get(key);
  if (sum) sum.count += count;
  else sums.set(key, typeof id === 'string' ? { id, name: word.trim(), count } : { name: word, count });
}

/** Adds up the amounts of each material. */
export const addUp = (materials: readonly Cost[]) => sumCosts([{ materials } as unknown as JsonObject]);

/** What the dictionary of characters says of costs: what the data does not count, in words, and which lists have costs. */
export function findGaps(attributes: readonly Partial<Attribute>[]) {
  const costs = attributes.flatMap(({ key = '' }) => /^(.+)\.(?:materials|shards)$/.exec(key)?.[1] ?? []);
  return { uncounted: attributes.flatMap(({ uncounted = [] }) => uncounted), costs: [...new Set(costs)] };
}

/** The lists of costs that only other characters have. */
export const lackedBy = (found: readonly CostList[], costs: readonly string[]) =>
  costs.filter((key) => found.every((each) => each.key !== key));

const LEVEL = { type: 'integer', minimum: 1, maximum: MAX_LEVEL };

export const costsRoute = route({
  path: '/api/:game/characters/:id/costs',
  operationId: 'getCosts',
  summary: 'What it costs to raise a character',
  parameters: [
    parameter('from', 'The level now, at most the highest; without it, the first.', LEVEL),
    parameter('to', 'The level to reach, at most the highest; without it, the highest.', LEVEL),
    listParameter(
      'talents',
      'The level of each skill, in the order of their lists if each has its own; one level is for all. Each is raised as far as it goes; without a level, one of several is not raised, and without `talents`, all are as far as they go. Levels above those of a list that all skills share are masteries: 8 to 10 in Arknights. A list without levels, such as traces, is raised by 1.',
      { example: [10, 10, 8] },
      { items: { ...LEVEL, minimum: 0 }, minItems: 1, maxItems: 12 },
    ),
    LANG,
  ],
  result: 'Costs',
  problems: ['not-found'],
  handle(request) {
    const game = findGame(request);
    const { slug, roster, dictionary } = game;
    const { attributes } = dictionary.of(CHARACTERS);
    const { id, row, location } = findRow(game, CHARACTERS, roster, request.params.id ?? '');
    const { translation, common } = inLanguage(request, game);
    const json = roster.fullRecords[row] as Buffer;
    const record: JsonObject = JSON.parse(translation?.write(json) ?? String(json));
    const found = findCosts(record, (key) => attributes.find((each) => each.key === key)?.skills);
    const { uncounted, costs } = findGaps(attributes);
    const gaps = { uncounted, missing: lackedBy(found, costs) };
    if (found.length === 0)
      throw new HttpProblem('not-found', `the data of ${slug} has no costs of ${quote(id)}`);
    const highest = highestOf(found, attributes.find(({ key }) => key === 'stats')?.level);
    const parts = sumBetween(found, readLevels(request.query, found, highest));
    return {
      ...common,
      location: location && `${location}/costs`,
      body() {
        const total = addUp(parts.flatMap(({ materials }) => materials));
        const head = { game: slug, build: game.build, id, name: String(record.name ?? id) };
        return { json: Buffer.from(JSON.stringify({ ...head, parts, total, ...gaps })) };
      },
    };
  },
});

/** The levels of a character and of its skills that `from`, `to` and `talents` choose. */
export type Levels = Partial<ReturnType<typeof readLevels>>;

/** The skills that `talents` raises, and how far; without it, as far as they go. Levels above `base`, the last that all skills share, are masteries. */
export function skillsIn(found: readonly CostList[], talents: readonly number[] = []) {
  const ofSkills = found.filter(isOfSkills);
  const mastered = ofSkills.filter(({ steps }) => steps.some(({ mastery }) => mastery));
  const shared = ofSkills.filter((list) => !mastered.includes(list));
  const base = mastered.length > 0 ? Math.max(0, ...shared.flatMap(({ reached }) => reached)) : 0;
  const skills = mastered.length > 0 ? mastered : shared;
  const named = skills.flatMap((list) => list.skills.map((name) => ({ list, name, base })));
  return named.map((skill, at) => {
    const highest = base + Math.max(...skill.list.reached);
    const lowest = base > 0 ? 1 : Math.min(...skill.list.reached) - 1;
    const asked = talents.length > 1 ? (talents[at] ?? lowest) : (talents[0] ?? highest);
    return { ...skill, lowest, highest, level: Math.min(asked, highest) };
  });
}

/** The highest level of a character, above its last step. @param level what the dictionary says of stats, such as `level 90` */
export function highestOf(found: readonly CostList[], level = ''): number {
  const steps = found.filter(isRange).flatMap(({ reached }) => reached);
  return Math.max(Number(/\d+/.exec(level)?.[0] ?? 1), ...steps.map((each) => each + 1));
}

/** Reads the levels that a query chooses. @param nameOf returns what a message calls a list @throws HttpProblem */
export function readLevels(
  query: RawQuery,
  found: readonly CostList[],
  highest: number,
  nameOf = ({ key, of }: CostList) => (of === undefined ? key : `${key} of ${of}`),
) {
  const given = ['from', 'to'].find((name) => valuesOf(query, name));
  if (given && !found.some(isRange))
    throw invalidParameter(given, `${given} has no use, because no step has a level of the character`);
  const to = readWhole(query, 'to', 1, highest);
  const from = readWhole(query, 'from', 1, highest);
  if ((from ?? 1) > (to ?? highest)) throw invalidParameter('from', 'from must be at most to');
  const texts = valuesOf(query, 'talents');
  const talents =
    texts && splitList('talents', texts).map((each) => parseWhole('talents', each, 0, MAX_LEVEL));
  const skills = skillsIn(found);
  const limits =
    talents?.length === 1 ? skills.toSorted((a, b) => b.highest - a.highest).slice(0, 1) : skills;
  const high = limits.find((skill, at) => (talents?.[at] ?? 0) > skill.highest);
  const most = high ? `${high.highest} for ${nameOf(high.list)}` : `one for each skill, so ${skills.length}`;
  if (talents && (high || talents.length > skills.length))
    throw invalidParameter('talents', `talents is ${talents}, expected at most ${most}`);
  return { from, to, talents };
}

/** Sums the costs of each list, between some levels. */
export function sumBetween(found: readonly CostList[], { from = 1, to = MAX_LEVEL, talents }: Levels) {
  const skills = skillsIn(found, talents);
  const most = Math.max(...skills.map(({ level }) => level));
  return found.map((list) => {
    const { key, of, steps, reached } = list;
    const own = skills
      .filter((skill) => skill.list === list)
      .map(({ level, base }) => Math.max(0, level - base));
    // What all skills share below masteries is raised once.
    const levels = own.length > 0 ? own : [Math.min(most, ...reached.slice(-1))];
    const counted = isOfSkills(list)
      ? levels.flatMap((level) => steps.filter((_, at) => (reached[at] ?? 0) <= level))
      : steps.filter(({ level = null }) => typeof level !== 'number' || (from <= level && level < to));
    const part = { key, ...(of && { of }), ...(isOfSkills(list) && { levels }) };
    return { ...part, steps: counted.length, materials: sumCosts(counted) };
  });
}

const isOfSkills = ({ key }: CostList) => OF_SKILLS.test(key);
/** Whether `from` and `to` select among the steps of a list. */
export const isRange = (list: CostList) =>
  !isOfSkills(list) && list.steps.some(({ level }) => Number(level) >= 0);

/** The level, or the mastery, that a step leads to: `step` n leads from level n to the next. Steps without one are made together. */
function levelOf({ level, step, mastery }: JsonObject): number {
  return Number(level ?? mastery ?? (typeof step === 'number' ? step + 1 : 1));
}
