// The costs of raising a character: the materials in the steps of its record, summed.
import { wordsOf } from '../../scripts/format/attributes.ts';
import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS } from '../data/game-build.ts';
import { parseWhole, readWhole, splitList, valuesOf } from '../http/incoming.ts';
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

/** The steps of one list of a record, such as its ascensions. */
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

/** Members of a step that are amounts of money, with their names. */
const MONEY = new Map(['qp', 'mana', 'mora', 'credits', 'dennies'].map((each) => [each, wordsOf(each)]));
/** Lists about skills: `talents` selects their steps; `from` and `to` select those of all other lists. */
const OF_SKILLS = /core|skill|talent|trace|append|master/i;
/** Lists of what players raise last. */
const LATER = /append|enhancement/;
const MAX_LEVEL = 999;
const MAX_TALENTS = 12;

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
      if (!Array.isArray(value) || !value.some(isObject)) continue;
      const steps = value.filter(isObject);
      const key = prefix + name;
      if (hasCosts(steps))
        parts.push({ key, ...of, skills: skillsOf(key) ?? 1, steps, reached: levelsOf(steps) });
      else
        for (const step of steps) visit(step, `${key}.`, typeof step.id === 'string' ? { of: step.id } : {});
    }
  };
  visit(record, '', {});
  return parts.sort((a, b) => Number(LATER.test(a.key)) - Number(LATER.test(b.key)));
}

/** Sums the costs of steps: money, of which most is needed, then the materials in the order in which they are first needed. */
export function sumCosts(steps: readonly JsonObject[]): Cost[] {
  const sums = new Map<string, Cost>();
  for (const step of steps) addCosts(sums, step);
  const most = [...sums.values()].reduce((count, each) => Math.max(count, each.count), 0);
  return [...sums.values()].sort((a, b) => Number(b.count === most) - Number(a.count === most));
}

export function hasCosts(steps: readonly JsonObject[]): boolean {
  const sums = new Map<string, Cost>();
  return steps.some((step) => addCosts(sums, step).size > 0);
}

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
    parameter('from', 'The level now; without it, the first.', LEVEL),
    parameter('to', 'The level to reach; without it, the highest.', LEVEL),
    listParameter(
      'talents',
      'The level of each skill, in the order of their lists if each has its own; without it, all are raised as far as they go. A skill without a level is not raised.',
      { example: [10, 10, 8] },
      { items: LEVEL, minItems: 1, maxItems: MAX_TALENTS },
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
    const { query } = request;
    const [from, to] = [readWhole(query, 'from', 1, MAX_LEVEL), readWhole(query, 'to', 1, MAX_LEVEL)];
    const texts = valuesOf(query, 'talents');
    const talents =
      texts && splitList('talents', texts).map((text) => parseWhole('talents', text, 1, MAX_LEVEL));
    const { translation, common } = inLanguage(request, game);
    const json = roster.fullRecords[row] as Buffer;
    const record: JsonObject = JSON.parse(translation?.write(json) ?? String(json));
    const found = findCosts(record, (key) => attributes.find((each) => each.key === key)?.skills);
    if (found.length === 0)
      throw new HttpProblem('not-found', `the data of ${slug} has no costs of ${quote(id)}`);
    const fault = faultOf(found, { from, to, talents });
    if (fault) throw fault;
    const parts = sumBetween(found, { from, to, talents });
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
export interface Levels {
  from?: number | undefined;
  to?: number | undefined;
  talents?: readonly number[] | undefined;
}

/** The skills whose levels `talents` has, with their lists and highest levels: those with a list each, otherwise those that share one. */
export function skillsIn(found: readonly CostList[]): { list: CostList; highest: number }[] {
  const own = found.filter((list) => list.of !== undefined && isOfSkills(list) && hasLevels(list));
  const lists = own.length > 0 ? own : found.filter((list) => list.of === undefined && isOfSkills(list));
  return lists.flatMap((list) =>
    Array.from({ length: list.skills }, () => ({ list, highest: Math.max(...list.reached) })),
  );
}

/** Returns what is wrong with chosen levels. */
export function faultOf(found: readonly CostList[], { from, to, talents = [] }: Levels) {
  if ((from ?? to ?? talents[0]) === undefined) return undefined;
  if (from !== undefined && to !== undefined && from > to)
    return invalidParameter('from', `from is ${from}, expected at most ${to}, which is "to"`);
  const steps = `the steps of ${found.map(({ key }) => key).join(', ')} have no level`;
  if ((from ?? to) !== undefined && !found.some(isRange))
    return invalidParameter(from ? 'from' : 'to', `${steps}, expected neither from nor to`);
  const skills = skillsIn(found);
  const most = skills.length === 0 ? 'no talents' : `at most ${skills.length}, one for each skill`;
  if (talents.length > skills.length)
    return invalidParameter('talents', `talents has ${talents.length} levels, expected ${most}`);
  const high = skills.find(({ highest }, at) => (talents[at] ?? 1) > highest);
  const limit = `expected at most ${high?.highest}, the highest of ${high?.list.key}`;
  return high && invalidParameter('talents', `talents is ${talents}, ${limit}`);
}

/** Sums the costs of each list, between some levels. */
export function sumBetween(found: readonly CostList[], { from, to, talents }: Levels) {
  const skills = skillsIn(found);
  return found.map((list) => {
    const { key, of, steps, reached } = list;
    const levels = skills.flatMap((skill, at) =>
      skill.list === list ? (talents ? (talents[at] ?? 1) : skill.highest) : [],
    );
    const isWhole = levels.every((level) => level >= (reached.at(-1) ?? 0));
    const raised = levels.flatMap((level) =>
      isWhole ? steps : steps.filter((_, at) => (reached[at] ?? 0) <= level),
    );
    // Skills without levels to choose count in full.
    const others = isOfSkills(list) ? steps : between(steps, from, to);
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
