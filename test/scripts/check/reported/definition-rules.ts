import type { Json, JsonObject } from '../../../../scripts/format/dist-format.ts';
import type { Example, ExampleRule } from '../cases.ts';
import { manyRecords, mappingExample } from '../cases.ts';

const rule = { severity: 'error' } as const;
const ANN = { id: 'ann', name: 'Ann' };

/** A second build, with this `build.json`. */
const secondBuild = (more: JsonObject): Example => ({
  '1.1/build.json': { released_at: '2026-01-02', ...more },
});
/** A build in which a CSV file replaces a JSON file, with these removed files. */
const replaced = (...removed: string[]): Example => ({
  '1.0/items.json': [ANN],
  '1.1/items.csv': 'id,name\nann,Ann\n',
  ...secondBuild({ removed: ['items.json', ...removed] }),
});
const amended = (changes: Json): Example => ({
  '1.0/build.json': {
    released_at: '2026-01-01',
    amended: [{ at: '2026-01-02', reason: 'attack of Ann', changes: 'amendments/1.0.1.json' }],
  },
  'amendments/1.0.1.json': changes,
});
const corrected = (since: string): Example => ({
  'corrections.json': {
    corrections: [{ id: 'ann', attribute: 'name', value: 'Anne', reason: 'The game shows Anne.', since }],
  },
});
const aliased = (...names: string[]): Example => ({ 'aliases.json': { characters: { ann: names } } });
/** Two builds, of which the later one has other ids and says so. */
const renumbered = (from: string): Example => ({
  '1.0/characters.json': manyRecords(20),
  '1.1/characters.json': manyRecords(20, (index) => ({ id: index === 0 ? 'new' : `id-${index}` })),
  ...secondBuild({ renamed: { characters: { [from]: 'new' } } }),
});
const overridden = (lost: number): Example => ({
  '1.0/characters.json': manyRecords(20),
  '1.1/characters.json': manyRecords(20 - lost),
  ...secondBuild({ overrides: [{ check: 'records-lost', reason: 'The game closed a server.' }] }),
});

/** What holds of the definition of a game and its builds. `read/` and `compile/` report these. */
export const DEFINITION_RULES: readonly ExampleRule[] = [
  {
    ...rule,
    name: 'slug',
    description: 'The name of the folder of a game is a slug, and the folder is no link.',
    fails: {},
    slug: 'game_2',
  },
  {
    ...rule,
    name: 'definition',
    description: 'A game.json or build.json matches its schema.',
    fails: { 'game.json': { title: '' } },
  },
  {
    ...rule,
    name: 'build-definition',
    description:
      'A game has a build, every build has a build.json, and the files that it names hold what they should.',
    fails: amended({ characters: [], datasets: {} }),
  },
  {
    ...rule,
    name: 'build-name',
    description: 'The name of the folder of a build is URL-safe, and not "latest".',
    fails: { '1.0/items.json': [ANN], '1.1 b/items.json': [ANN] },
  },
  {
    ...rule,
    name: 'build-order',
    description: 'No two builds have the same "released_at".',
    fails: { '1.1/build.json': { released_at: '2026-01-01T01:00:00+01:00' } },
  },
  {
    ...rule,
    name: 'removed-files',
    description: 'A file in "removed" is one that an earlier build has, and that the build itself lacks.',
    fails: replaced('items.csv'),
  },
  {
    ...rule,
    name: 'table-files',
    description: 'The files of a table exist, are inside the folder of their build, and are no links.',
    fails: {
      ...mappingExample('$tables.units', { units: [ANN] }),
      'game.json': {
        title: 'Game',
        tables: { units: 'raw/unit.json' },
        datasets: { items: '$tables.units' },
      },
    },
  },
  {
    ...rule,
    name: 'table-key',
    description: 'Every row of a table with a key has one, and no two rows have the same.',
    fails: mappingExample('$each(units, function($v) { $v })', { units: [ANN, { id: 'ann' }] }),
  },
  {
    ...rule,
    name: 'dataset-file',
    description: 'A dataset has one source, and the name of a served file is the key of a dataset.',
    fails: { '1.0/items.json': [ANN], '1.0/items.csv': 'id\na\n' },
  },
  {
    ...rule,
    name: 'schema-file',
    description: 'A JSON Schema of the game can be read and used.',
    fails: schemaExample('objekt'),
  },
  {
    ...rule,
    name: 'attributes-file',
    description: 'The file of the attribute dictionary can be read and matches its schema.',
    fails: described({ title: 'Name' }),
  },
  {
    ...rule,
    name: 'builds-lock',
    description: 'The builds.lock.json of a game matches its schema.',
    fails: { 'builds.lock.json': {} },
  },
  {
    ...rule,
    name: 'aliases',
    description: 'An aliases.json matches its schema, and names records of the newest build.',
    fails: aliased(),
  },
  {
    ...rule,
    name: 'corrections',
    description:
      'A corrections.json matches its schema and the game; upstream neither agrees with a correction nor has a third value.',
    fails: corrected('1.1'),
  },
  {
    ...rule,
    name: 'renamed',
    description:
      'The old ids in "renamed" are those of the build before, the new ones those of the same records now.',
    fails: renumbered('id-20'),
  },
  {
    ...rule,
    name: 'overrides',
    description: 'An override names a check that can be overridden, and a finding needs it.',
    fails: overridden(0),
  },
];

function described(name: JsonObject): Example {
  return {
    'game.json': { title: 'Game', attributes: 'attributes.json' },
    'attributes.json': { characters: { name } },
  };
}

function schemaExample(type: string): Example {
  return {
    'game.json': { title: 'Game', schemas: { items: 'schemas/items.json' } },
    'schemas/items.json': { type },
    '1.0/items.json': [ANN],
  };
}
