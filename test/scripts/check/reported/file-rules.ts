import type { ExampleRule } from '../cases.ts';

const rule = { severity: 'error' } as const;
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
    name: 'file-syntax',
    description:
      'A file has the syntax of its format, and something in it. A row of CSV has the cells of the header, and a cell the type of its column; YAML has no merge keys, and aliases for at most a million values.',
    fails: { '1.0/items.json': '[{"id": "a"},]' },
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
    name: 'duplicate-key',
    description: 'No key occurs twice in an object; in key-value text the same line may.',
    fails: { '1.0/items.json': '[{"id": "a", "cost": 1, "cost": 2}]' },
  },
];
