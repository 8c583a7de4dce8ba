import { RULES } from '../../../scripts/changes/change-checker.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { type Example, type ExampleRule, manyRecords, mappingExample } from '../check/cases.ts';

type More = (index: number) => JsonObject;

/** Two builds with these characters. */
const characters = (count: number, before: More, after: More, later = count): Example => ({
  '1.0/characters.json': manyRecords(count, before),
  '1.1/characters.json': manyRecords(later, after),
});
/** Characters that have one of these attributes; the first ones have the other one in the later build. */
const some = (count: number, all: number, before: More, after: More): Example =>
  characters(all, before, (index) => (index < count ? after(index) : before(index)));
const named = (name: string): Example => ({
  '1.0/characters.json': manyRecords(3, (index) => (index === 2 ? { name } : {})),
});

const ofType = (type: string): Example =>
  mappingExample(
    { from: 'units', where: "type = 'item'", entry: "{'id': id}" },
    {
      units: [
        { id: 'a', type },
        { id: 'b', type: 'unit' },
      ],
    },
  );
const stats = (row: JsonObject): Example =>
  mappingExample(
    { from: 'units', entry: "{'id': id, 'stats': {'atk': attack, 'def': defense}}" },
    { units: manyRecords(3, () => row) },
  );

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
const CLASSES = { class: { ...described, values: { 1: 'Saber', 2: 'Archer' } } };
const sized = (count: number): Example => ({
  'game.json': { title: 'Game', checks: { 'game-size': { max_megabytes: 0.002 } } },
  '1.0/characters.json': manyRecords(count),
});

const element = (index: number): JsonObject => ({ element: ['Fire', 'Ice', 'Wind'][index % 3] ?? '' });
const atk = (value: number) => ({ stats: { atk: value } });

/** Two builds of a dataset. */
const items = (before: Json, after: Json): Example => ({ '1.0/items.json': before, '1.1/items.json': after });

/** A game in which a check finds nothing, although it is nearly a fault, and one in which it finds one thing. */
const EXAMPLES: Readonly<Record<string, readonly [passes: Example, fails: Example]>> = {
  'game-size': [sized(3), sized(100)],
  'where-drops-all': [ofType('item'), ofType('Item')],
  'attribute-unserved': [stats({ attack: 1, defense: 0 }), stats({ attack: 1, defence: 1 })],
  'numbers-implausible': [2, 3].map(
    (count): Example => ({
      '1.0/characters.json': manyRecords(20, (index) => atk(index < count ? 9999 : 100 + index)),
    }),
  ) as [Example, Example],
  'text-damaged': [named('Ã Château <Lie> É'), named('ChÃ¢teau')],
  'text-unresolved': [named('THRM-EX 2077'), named('Avatar_Miyabi_Name')],
  'attribute-undescribed': [dictionary({ atk: described }, { atk: 1 }), dictionary({}, { atk: 1 })],
  'attribute-unexpected': [dictionary(CLASSES, { class: 1 }), dictionary(CLASSES, { class: 3 })],
  'ids-renumbered': [2, 20].map((count) =>
    some(
      count,
      20,
      () => ({}),
      (index) => ({ name: `Name ${(index + 1) % count}` }),
    ),
  ) as [Example, Example],
  'dataset-gone': [items(manyRecords(3), manyRecords(1)), items(manyRecords(3), [])],
  'records-lost': [items(manyRecords(60), manyRecords(57)), items(manyRecords(60), manyRecords(56))],
  'field-kinds': [
    items(
      manyRecords(2, () => ({ cost: 1 })),
      manyRecords(2, () => ({ cost: 1.5 })),
    ),
    items(
      manyRecords(2, () => ({ cost: 1 })),
      manyRecords(2, () => ({ cost: '1' })),
    ),
  ],
  'values-lost': [2, 3].map((count) =>
    some(
      count,
      20,
      () => ({ stats: { hp: 10, atk: 5 } }),
      () => ({}),
    ),
  ) as [Example, Example],
  'values-changed': [3, 10].map((count) =>
    some(
      count,
      10,
      (index) => atk(101 + index),
      (index) => atk((101 + index) * (count === 3 ? 1.1 : 10)),
    ),
  ) as [Example, Example],
  'values-moved': [2, 10].map((count) =>
    some(
      count,
      10,
      (index) => atk(100 + index ** 2),
      (index) => atk(100 + ((index + 1) % count) ** 2),
    ),
  ) as [Example, Example],
  'categories-changed': [9, 12].map((count) => some(count, 60, element, () => element(0))) as [
    Example,
    Example,
  ],
  'names-changed': [2, 3].map((count) =>
    some(
      count,
      20,
      () => ({}),
      (index) => ({ name: `Other ${index}` }),
    ),
  ) as [Example, Example],
  'values-jumped': [50, 37].map((value) =>
    characters(
      20,
      (index) => ({ atk: 100 + index * 10 }),
      (index) => ({ atk: index === 5 ? value : 100 + index * 10 }),
    ),
  ) as [Example, Example],
};

/** The checks of changes with their examples. */
export const CHANGE_RULES = RULES.map((rule): ExampleRule => {
  const [passes, fails] = EXAMPLES[rule.name] ?? [{}, {}];
  return { ...rule, severity: rule.warns ? 'warning' : 'error', passes, fails };
});
