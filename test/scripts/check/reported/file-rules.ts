import type { ExampleRule } from '../cases.ts';

const rule = { severity: 'error' } as const;
const texts = (text: string) => ({
  'game.json': { title: 'Game', tables: { texts: 'raw/texts.txt' }, datasets: { items: '$tables.texts' } },
  '1.0/raw/texts.txt': text,
});

/** What holds of every file that is read. `read/` reports these while it reads. */
export const FILE_RULES: readonly ExampleRule[] = [
  {
    ...rule,
    name: 'file-text',
    description: 'Files can be read: UTF-8, of a size that is allowed, undamaged, and inside the folder.',
    fails: { '1.0/items.csv.gz': 'id,name\na,Not compressed\n' },
  },
  {
    ...rule,
    name: 'json-syntax',
    description: 'JSON and JSON Lines have no syntax error.',
    fails: { '1.0/items.json': '[{"id": "a"},]' },
  },
  {
    ...rule,
    name: 'yaml-syntax',
    description: 'YAML has no syntax error, and nothing that is not supported, such as a merge key.',
    fails: { '1.0/items.yaml': '- id: a\n  <<: {b: 1}\n' },
  },
  {
    ...rule,
    name: 'yaml-alias',
    description:
      'Every alias has its anchor before it, and the aliases of a file stand for at most a million values.',
    fails: { '1.0/items.yaml': '- {id: a, tags: &tags [new]}\n- {id: b, tags: *tag}\n' },
  },
  {
    ...rule,
    name: 'csv-syntax',
    description:
      'Every row of a CSV file has the cells of the header, and every cell has the type of its column.',
    fails: { '1.0/items.csv': 'id,name\na,Sword, long\n' },
  },
  {
    ...rule,
    name: 'csv-columns',
    description: 'No column of numbers is text because of a few cells.',
    severity: 'warning',
    fails: { '1.0/items.csv': 'id,cost\na,1\nb,2\nc,1.50\n' },
  },
  {
    ...rule,
    name: 'key-value-syntax',
    description: 'Every line of key-value text has a delimiter, and there is at least one.',
    fails: texts('sword = Sword\na comment\n'),
  },
  {
    ...rule,
    name: 'duplicate-key',
    description: 'No key occurs twice in an object; in key-value text the same line may.',
    fails: { '1.0/items.json': '[{"id": "a", "cost": 1, "cost": 2}]' },
  },
];
