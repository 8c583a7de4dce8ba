import { CHANGE_CHECKS } from '../../../scripts/changes/change-checker.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { type Example, type ExampleRule, manyRecords, mappingExample } from '../check/cases.ts';

type More = (index: number) => JsonObject;

/** Two builds of characters that have one of these attributes; the first ones have the other one in the later build. */
const some = (count: number, all: number, before: More, after: More): Example => ({
  '1.0/characters.json': manyRecords(all, before),
  '1.1/characters.json': manyRecords(all, (index) => (index < count ? after(index) : before(index))),
});
const named = (name: string): Example => ({
  '1.0/characters.json': manyRecords(3, (index) => (index === 2 ? { name } : {})),
});
const described = { description: 'What it is.' };
/** A dictionary that describes `characters` and what every build has. */
const dictionary = (attributes: JsonObject, record: JsonObject): Example => ({
  'game.json': {
    title: 'Game',
    attributes: {
      characters: { id: described, name: described, ...attributes },
      pull_planner: { '*': described, '*.*': described },
    },
  },
  '1.0/characters.json': manyRecords(3, () => record),
});
const element = (index: number): JsonObject => ({ element: ['Fire', 'Ice', 'Wind'][index % 3] ?? '' });
const atk = (value: number) => ({ stats: { atk: value } });
/** Two builds of a dataset. */
const items = (before: Json, after: Json): Example => ({ '1.0/items.json': before, '1.1/items.json': after });

/** For each check a game in which it finds one thing. */
const FAILS: Readonly<Record<string, Example>> = {
  'where-drops-all': mappingExample(
    { from: 'units', where: "type = 'item'", entry: "{'id': id}" },
    { units: [{ id: 'a', type: 'Item' }] },
  ),
  'attribute-unserved': mappingExample(
    { from: 'units', entry: "{'id': id, 'stats': {'atk': attack, 'def': defense}}" },
    { units: manyRecords(3, () => ({ attack: 1, defence: 1 })) },
  ),
  'numbers-implausible': {
    '1.0/characters.json': manyRecords(20, (index) => atk(index < 3 ? 9999 : 100 + index)),
  },
  'text-damaged': named('ChÃ¢teau'),
  'text-unresolved': named('Avatar_Miyabi_Name'),
  'attribute-undescribed': dictionary({}, { atk: 1 }),
  'attribute-unexpected': dictionary(
    { class: { ...described, values: { 1: 'Saber', 2: 'Archer' } } },
    { class: 3 },
  ),
  'ids-renumbered': some(
    20,
    20,
    () => ({}),
    (index) => ({ name: `Name ${(index + 1) % 20}` }),
  ),
  'dataset-gone': items(manyRecords(3), []),
  'records-lost': items(manyRecords(60), manyRecords(56)),
  'field-kinds': items([{ cost: 1 }, { cost: 1 }], [{ cost: '1' }, { cost: '1' }]),
  'values-lost': some(
    3,
    20,
    () => ({ stats: { hp: 10, atk: 5 } }),
    () => ({}),
  ),
  'values-changed': some(
    10,
    10,
    (index) => atk(101 + index),
    (index) => atk((101 + index) * 10),
  ),
  'values-moved': some(
    10,
    10,
    (index) => atk(100 + index ** 2),
    (index) => atk(100 + ((index + 1) % 10) ** 2),
  ),
  'categories-changed': some(12, 60, element, () => element(0)),
  'names-changed': some(
    3,
    20,
    () => ({}),
    (index) => ({ name: `Other ${index}` }),
  ),
  'values-jumped': some(
    6,
    20,
    (index) => ({ atk: 100 + index * 10 }),
    (index) => ({ atk: index === 5 ? 37 : 100 + index * 10 }),
  ),
};

/** The checks of changes with their examples. */
export const CHANGE_RULES = CHANGE_CHECKS.map(
  (rule): ExampleRule => ({
    ...rule,
    severity: rule.warns ? 'warning' : 'error',
    fails: FAILS[rule.name] ?? {},
  }),
);
