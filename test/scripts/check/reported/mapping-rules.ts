import type { Json } from '../../../../scripts/format/dist-format.ts';
import type { Example, ExampleRule } from '../cases.ts';
import { mappingExample } from '../cases.ts';

const rule = { severity: 'error' } as const;
const UNITS = { units: [{ id: 'ann', name: 'Ann' }] };
const fromUnits = (entry: string): Example => mappingExample({ from: 'units', entry }, UNITS);
const inFile = (file: string): Example => ({
  ...mappingExample({ file: 'items.jsonata' }, UNITS),
  [file]: '$tables.units.*',
});
/** A game whose roster is mapped, with what only the full records have. */
const withRecord = (record: string): Example => ({
  'game.json': {
    title: 'Game',
    tables: { units: 'characters.json' },
    roster: { from: 'units', entry: "{'id': id, 'name': name}", record },
  },
});
const changed = (datasets: Json): Example => ({
  ...mappingExample('$tables.units.*', UNITS),
  'game.json': {
    title: 'Game',
    tables: { units: { files: 'raw/units.json', key: 'id' } },
    datasets: { items: '$tables.units.*' },
    changes: [{ from: '1.0', datasets }],
  },
});

/** What holds of every mapping. `compile/` and `read/` report these. */
export const MAPPING_RULES: readonly ExampleRule[] = [
  {
    ...rule,
    name: 'expression-file',
    description: 'A .jsonata file that game.json names can be read.',
    fails: inFile('item.jsonata'),
  },
  {
    ...rule,
    name: 'expression-syntax',
    description: 'An expression is valid JSONata, and calls only functions that exist.',
    fails: fromUnits("{'id': $uppercase(id}"),
  },
  {
    ...rule,
    name: 'expression-result',
    description: 'An expression works for every row, and returns what is expected.',
    fails: fromUnits("{'id': $number(id & 'x')}"),
  },
  {
    ...rule,
    name: 'shape',
    description: 'Records are objects, and a dataset is a list of them or one object.',
    fails: { '1.0/items.json': ['a'] },
  },
  {
    ...rule,
    name: 'full-record',
    description: 'An attribute is in the roster entry or in what "record" returns, not in both.',
    fails: withRecord("{'name': name}"),
  },
  {
    ...rule,
    name: 'mapping-tables',
    description: 'A mapping names only tables that game.json declares.',
    fails: mappingExample('$tables.unit.*', UNITS),
  },
  {
    ...rule,
    name: 'mapping-changes',
    description:
      'A change replaces or removes something that exists. A warning: it begins with a build that is not added yet.',
    fails: changed({ item: null }),
  },
];
