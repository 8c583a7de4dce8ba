// The costs of raising a character: the materials in the steps of its record, summed.
import { wordsOf } from '../../scripts/format/attributes.ts';
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
  /** How many skills have these steps, each for itself. */
  skills: number;
  steps: readonly JsonObject[];
  /** The level that each step leads to. */
  reached: readonly number[];
}

/** Members of a step that are amounts of money, or of shards of the character; and what materials that are money are called. */
const MONEY = new Map(
  ['qp', 'mana', 'mora', 'credits', 't-creds', 'dennies', 'shards'].map((each) => [each, wordsOf(each)]),
);
/** Lists about skills: `talents` selects their steps; `from` and `to` select those of all other lists. */
const OF_SKILLS = /core|skill|talent|trace|append|master/i;
/** Lists of what players raise last. */
const LATER = /append|enhancement/;
const MAX_LEVEL = 999;

/**
 * Finds the lists of a record whose elements have `materials`: the steps, each with its costs.
 *
 * @param skillsOf returns what the dictionary says of a list: how many skills have its steps
 */
export function findCosts(record: JsonObject, skillsOf = (_: string): number | undefined => 1): CostList[] {
  const parts: CostList[] = [];
  const visit = (object: JsonObject, prefix: string, of: Pick<CostList, 'of'>): void => {
    for (const name in object) {
      const value = object[name];
      if (!Array.isArray(value)) continue;
      const rows = value.filter(isObject);
      const steps = rows.filter(hasCost);
      const key = prefix + name;
      if (steps.length > 0)
        parts.push({ key, ...of, skills: skillsOf(key) ?? 1, steps, reached: levelsOf(steps) });
      else for (const row of rows) visit(row, `${key}.`, typeof row.id === 'string' ? { of: row.id } : {});
    }
  };
  visit(record, '', {});
  return parts.sort((a, b) => Number(LATER.test(a.key)) - Number(LATER.test(b.key)));
}

/** Sums the costs of steps: money, then the materials in the order in which they are first needed. */
export function sumCosts(steps: readonly JsonObject[]): Cost[] {
  const sums = new Map<string, Cost>();
  for (const step of steps) addCosts(sums, step);
  const isMoney = ({ id, name }: Cost) => id === undefined || MONEY.has(name.toLowerCase());
  return [...sums.values()].sort((a, b) => Number(isMoney(b)) - Number(isMoney(a)));
}

/** Whether a step costs anything. */
export const hasCost = (step: JsonObject) =>
  (Array.isArray(step.materials) && step.materials.length > 0) ||
  Object.keys(step).some((name) => MONEY.has(name) && Number(step[name]) > 0);

/** Whether a member of a step has costs. */
export const isCost = (name: string) => name === 'materials' || MONEY.has(name);

function addCosts(sums: Map<string, Cost>, step: JsonObject) {
  const { materials } = step;
  if (Array.isArray(materials))
    for (const each of materials) if (isObject(each)) add(sums, each.count, each.name, each.id);
  for (const name in step) if (MONEY.has(name)) add(sums, step[name], MONEY.get(name));
  return sums;
}

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
      'The level of each skill, in the order of their lists if each has its own; without it, all are raised as far as they go. A skill without a level is not raised. Steps of skills that have no levels to choose, such as masteries, count only if all levels are the highest.',
      { example: [10, 10, 8] },
      { items: LEVEL, minItems: 1, maxItems: 12 },
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
    if (found.length === 0)
      throw new HttpProblem('not-found', `the data of ${slug} has no costs of ${quote(id)}`);
    const highest = highestOf(found, attributes.find(({ key }) => key === 'stats')?.level);
    const parts = sumBetween(found, readLevels(request.query, found, highest));
    return {
      ...common,
      location: location && `${location}/costs`,
      body() {
        const total = addUp(parts.flatMap(({ materials }) => materials));
        const costs = { game: slug, build: game.build, id, name: String(record.name ?? id), parts, total };
        return { json: Buffer.from(JSON.stringify(costs)) };
      },
    };
  },
});

/** The levels of a character and of its skills that `from`, `to` and `talents` choose. */
export type Levels = Partial<ReturnType<typeof readLevels>>;

/** The skills whose levels `talents` has, with their lists and highest levels: those with a list each, otherwise those that share one. */
export function skillsIn(found: readonly CostList[]): { list: CostList; highest: number }[] {
  const own = found.filter((list) => list.of !== undefined && isOfSkills(list) && hasLevels(list));
  const lists = own.length > 0 ? own : found.filter((list) => list.of === undefined && isOfSkills(list));
  return lists.flatMap((list) =>
    Array.from({ length: list.skills }, () => ({ list, highest: Math.max(...list.reached) })),
  );
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
  const from = readWhole(query, 'from', 1, to ?? highest);
  const texts = valuesOf(query, 'talents');
  const talents =
    texts && splitList('talents', texts).map((each) => parseWhole('talents', each, 1, MAX_LEVEL));
  const skills = skillsIn(found);
  const high = skills.find((skill, at) => (talents?.[at] ?? 1) > skill.highest);
  const most = high ? `${high.highest} for ${nameOf(high.list)}` : `one for each skill, so ${skills.length}`;
  if (talents && (high || talents.length > skills.length))
    throw invalidParameter('talents', `talents is ${talents}, expected at most ${most}`);
  return { from, to, talents };
}

/** Sums the costs of each list, between some levels. */
export function sumBetween(found: readonly CostList[], { from, to, talents }: Levels) {
  const skills = skillsIn(found);
  const areHighest = skills.every(({ highest }, at) => !talents || (talents[at] ?? 1) >= highest);
  return found.map((list) => {
    const { key, of, steps, reached } = list;
    const levels = skills.flatMap((skill, at) =>
      skill.list === list ? (talents ? (talents[at] ?? 1) : skill.highest) : [],
    );
    const isWhole = levels.every((level) => level >= (reached.at(-1) ?? 0));
    const raised = levels.flatMap((level) =>
      isWhole ? steps : steps.filter((_, at) => (reached[at] ?? 0) <= level),
    );
    // What skills need beyond the levels to choose, such as masteries, comes after the highest.
    const others = isOfSkills(list) ? steps.slice(0, areHighest ? undefined : 0) : between(steps, from, to);
    const counted = levels.length > 0 ? raised : others;
    const part = { key, ...(of && { of }), ...(levels.length > 0 && { levels }) };
    return { ...part, steps: counted.length, materials: sumCosts(counted) };
  });
}

export const isOfSkills = ({ key }: CostList) => OF_SKILLS.test(key);
const hasLevels = ({ steps }: CostList) => steps.some((step) => typeof step.level === 'number');
/** Whether `from` and `to` select among the steps of a list. */
export const isRange = (list: CostList) => !isOfSkills(list) && hasLevels(list);

/** The steps between two levels of the character: a step is made at its `level`. */
function between(steps: readonly JsonObject[], from = 1, to = MAX_LEVEL): JsonObject[] {
  return steps.filter(({ level = null }) => typeof level !== 'number' || (from <= level && level < to));
}

/** The levels that steps lead to: their `level`, or step n leads from level n to the next. */
function levelsOf(steps: readonly JsonObject[]): number[] {
  return steps.map(({ level, step }, at) =>
    typeof level === 'number' ? level : typeof step === 'number' ? step + 1 : at + 2,
  );
}
