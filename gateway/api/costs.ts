// The costs of raising a character: the materials in the steps of its record, summed.
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

/** The steps of one list of a record, such as its ascensions. */
export interface CostList {
  /** The dotted key of the list. */
  key: string;
  /** The id of the skill that the list belongs to. */
  of?: string;
  steps: readonly JsonObject[];
}

/** Members of a step that are amounts of money. */
const MONEY = new Set(['qp', 'mana', 'mora', 'credits', 'dennies']);
/** Lists about skills: `talents` selects their steps; `from` and `to` select those of all other lists. */
const OF_SKILLS = /core|skill|talent|trace|append|master/i;
const MAX_LEVEL = 999;
const MAX_TALENTS = 12;

/** Finds the lists of a record whose elements have `materials`: the steps, each with its costs. */
export function findCosts(record: JsonObject): CostList[] {
  const parts: CostList[] = [];
  const visit = (object: JsonObject, prefix: string, of: Pick<CostList, 'of'>): void => {
    for (const name in object) {
      const value = object[name];
      if (!Array.isArray(value) || !value.some(isObject)) continue;
      const steps = value.filter(isObject);
      const key = prefix + name;
      if (hasCosts(steps)) parts.push({ key, ...of, steps });
      else
        for (const step of steps) visit(step, `${key}.`, typeof step.id === 'string' ? { of: step.id } : {});
    }
  };
  visit(record, '', {});
  return parts;
}

/** Sums the costs of steps, in the order in which the materials are first needed. */
export function sumCosts(steps: readonly JsonObject[]): Cost[] {
  const sums = new Map<string, Cost>();
  for (const step of steps) addCosts(sums, step);
  return [...sums.values()];
}

export function hasCosts(steps: readonly JsonObject[]): boolean {
  const sums = new Map<string, Cost>();
  return steps.some((step) => addCosts(sums, step).size > 0);
}

function addCosts(sums: Map<string, Cost>, step: JsonObject) {
  const { materials } = step;
  if (Array.isArray(materials))
    for (const each of materials) if (isObject(each)) add(sums, each.count, each.name, each.id);
  for (const name in step) if (MONEY.has(name)) add(sums, step[name], name);
  return sums;
}

/** Adds an amount to that of its material. @param sums by id, or by the name of money */
function add(sums: Map<string, Cost>, count?: Json, name?: Json, id?: Json): void {
  const word = typeof name === 'string' ? name : id;
  if (typeof count !== 'number' || count <= 0 || typeof word !== 'string') return;
  const key = typeof id === 'string' ? id : ` ${word}`;
  const sum = sums.get(key);
  if (sum) sum.count += count;
  else sums.set(key, typeof id === 'string' ? { id, name: word, count } : { name: word, count });
}

/** Adds up the amounts of each material. */
export function addUp(costs: readonly Cost[]): Cost[] {
  const sums = new Map<string, Cost>();
  for (const { id, name, count } of costs) add(sums, count, name, id);
  return [...sums.values()];
}

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
      'The level of each skill, in the order of their lists if each has its own; without it, one is raised as far as it goes.',
      { example: [10, 10, 8] },
      { items: LEVEL, minItems: 1, maxItems: MAX_TALENTS },
    ),
    LANG,
  ],
  result: 'Costs',
  problems: ['not-found'],
  handle(request) {
    const game = findGame(request);
    const { slug, roster } = game;
    const { id, row, location } = findRow(game, CHARACTERS, roster, request.params.id ?? '');
    const { query } = request;
    const [from, to] = [readWhole(query, 'from', 1, MAX_LEVEL), readWhole(query, 'to', 1, MAX_LEVEL)];
    if (from !== undefined && to !== undefined && from > to)
      throw invalidParameter('from', `from is ${from}, expected at most ${to}, which is "to"`);
    const talents = readTalents(query);
    const { translation, common } = inLanguage(request, game);
    const json = roster.fullRecords[row] as Buffer;
    const record: JsonObject = JSON.parse(translation?.write(json) ?? String(json));
    const found = findCosts(record);
    if (found.length === 0)
      throw new HttpProblem('not-found', `the data of ${slug} has no costs of ${quote(id)}`);
    const isRange = from !== undefined || to !== undefined;
    if (isRange && !found.some((part) => !isOfSkills(part) && hasLevels(part)))
      throw invalidParameter(
        from === undefined ? 'to' : 'from',
        `the steps of ${found.map(({ key }) => key).join(', ')} have no level in the data of ${slug}, expected neither from nor to`,
      );
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

/** Sums the costs of each list, between some levels. */
export function sumBetween(found: readonly CostList[], { from, to, talents }: Levels) {
  const own = found.filter((part) => part.of !== undefined && isOfSkills(part) && hasLevels(part));
  return found.map((list) => {
    const { steps, ...part } = list;
    const at = own.indexOf(list);
    const ofOne = talents && at !== -1 ? [talents[at] ?? 1] : undefined;
    // `talents` is about the lists of single skills, else about a list that all skills share; others count in full.
    const levels = own.length === 0 && part.of === undefined ? talents : ofOne;
    const chosen = isOfSkills(part) ? raisedTo(steps, levels) : between(steps, from, to);
    return { ...part, steps: chosen.length, materials: sumCosts(chosen) };
  });
}

export function isOfSkills({ key }: Pick<CostList, 'key'>): boolean {
  return OF_SKILLS.test(key);
}

/** Whether `from` and `to` select among the steps. */
export function hasLevels({ steps }: Pick<CostList, 'steps'>): boolean {
  return steps.some((step) => typeof step.level === 'number');
}

/** The steps between two levels of the character: a step is made at its `level`. */
function between(steps: readonly JsonObject[], from = 1, to = MAX_LEVEL): JsonObject[] {
  return steps.filter(({ level = null }) => typeof level !== 'number' || (from <= level && level < to));
}

/** The steps that raise skills to levels. A step leads to its `level`, or step n from level n to the next. */
function raisedTo(steps: readonly JsonObject[], levels: readonly number[] | undefined) {
  if (levels === undefined) return steps;
  const reached = steps.map(({ level, step }, at) =>
    typeof level === 'number' ? level : typeof step === 'number' ? step + 1 : at + 2,
  );
  return levels.flatMap((level) => steps.filter((_, at) => (reached[at] ?? 0) <= level));
}

function readTalents(query: RawQuery): number[] | undefined {
  const texts = valuesOf(query, 'talents');
  const levels =
    texts && splitList('talents', texts).map((text) => parseWhole('talents', text, 1, MAX_LEVEL));
  if (levels === undefined || levels.length <= MAX_TALENTS) return levels;
  throw invalidParameter('talents', `talents has ${levels.length} levels, expected at most ${MAX_TALENTS}`);
}
