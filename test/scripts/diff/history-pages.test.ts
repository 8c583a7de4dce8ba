import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countPages, MAX_MEMBERS, pageOf } from '../../../scripts/diff/history.ts';

const test = suite('pages of what changed');

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const nothing = { added: [], removed: [], changed: [] };

test('each has the next members of all lists, with their names, and those of them that are gained', () => {
  const [added, removed] = [ids('a', 2 * MAX_MEMBERS + 1), ids('r', MAX_MEMBERS + 1)];
  const names = Object.fromEntries([...added, ...removed].map((id) => [id, `The ${id}`]));
  const rows = { kind: 'added' as const, added, gained: added.slice(1), removed, changed: ['c'], names };
  const changed = { characters: nothing, datasets: { rows, short: { ...nothing, added: ['one'] } } };
  const pages = Array.from({ length: countPages(changed) }, (_, at) => pageOf(changed, at + 1));
  assert.equal(
    pages.map(({ datasets }) => Object.keys(datasets)),
    [['rows', 'short'], ['rows'], ['rows']],
  );
  const lists = pages.map(({ datasets }) => datasets.rows);
  for (const name of ['added', 'gained', 'removed', 'changed'] as const)
    assert.equal(
      lists.flatMap((each) => each?.[name] ?? []),
      rows[name],
    );
  assert.equal(Object.assign({}, ...lists.map((each) => each?.names)), names);
  const [, , last] = lists;
  assert.equal(last?.names, { [`a${2 * MAX_MEMBERS}`]: `The a${2 * MAX_MEMBERS}` });
  const counts = { added: added.length, gained: added.length - 1, removed: removed.length, changed: 1 };
  assert.equal(JSON.parse(JSON.stringify(last?.counts)), counts);
  assert.equal(pages[0]?.datasets.short, { ...nothing, added: ['one'] });
});

test('records with values, attributes and new ids are divided too', () => {
  const records = ids('u', MAX_MEMBERS + 1).map((id) => ({ id, name: id }));
  const fields = ids('f', MAX_MEMBERS + 2);
  const renamed = Object.fromEntries(ids('n', MAX_MEMBERS + 3).map((id) => [id, `new-${id}`]));
  const changes = fields.map((field) => ({ path: `/${field}` }));
  const { characters, datasets } = pageOf(
    { characters: { ...nothing, changed: records, renamed }, datasets: { costs: { fields, changes } } },
    2,
  );
  assert.equal(
    [characters.changed, Object.keys(characters.renamed ?? {}).length],
    [records.slice(MAX_MEMBERS), 3],
  );
  assert.equal([datasets.costs?.fields?.length, datasets.costs?.changes?.length], [2, 2]);
});

test.run();
