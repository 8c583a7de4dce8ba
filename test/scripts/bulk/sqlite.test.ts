import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeColumn, writeSqlite } from '../../../scripts/bulk/database.ts';

const sqlite = suite('SQLite databases');

const RELATIONS = [
  {
    name: 'say "hi"',
    columns: [makeColumn('id', ['a', 'b']), makeColumn('n', [1, null]), makeColumn('r', [0.5, 1e21])],
    key: ['id'],
  },
  {
    name: 'links',
    columns: [
      makeColumn('id', ['a', 'a'], { table: 'say "hi"', column: 'id' }),
      makeColumn('position', [1, 2]),
      makeColumn('', ['x\0y', '胡桃']),
    ],
    key: ['id', 'position'],
  },
];
/** A change of this hash changes the databases of all builds: a new release of the library can cause it. */
const SHA256 = '061dacc02190c53b27472dbabaeb3ecb724d305a7ddec332d1c10e22471a76a4';

sqlite('are equal bytes for equal tables, on every machine and whatever was written before', async () => {
  const first = await writeSqlite(RELATIONS);
  await writeSqlite([
    { name: 'other', columns: [makeColumn('text', Array(500).fill('x'.repeat(99)))], key: [] },
  ]);
  const again = await writeSqlite(RELATIONS);
  assert.equal(again, first);
  assert.is(createHash('sha256').update(first).digest('hex'), SHA256);
  assert.is(Buffer.from(first.subarray(0, 15)).toString(), 'SQLite format 3');
  // The counters and the version of the library that wrote the file.
  assert.equal([...first.subarray(24, 28), ...first.subarray(92, 100)], Array(12).fill(0));
});

sqlite('hold large numbers as they are', async () => {
  const double = Buffer.alloc(8);
  double.writeDoubleBE(1e21);
  assert.ok(Buffer.from(await writeSqlite(RELATIONS)).includes(double));
});

sqlite.run();
