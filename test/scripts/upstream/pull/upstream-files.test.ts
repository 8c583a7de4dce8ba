import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placeFiles, upstreamFolders } from '../../../../scripts/upstream/add/files.ts';

const test = suite('upstream files of a build');

const TABLES = { units: 'raw/units/*.json', items: 'raw/items.json' };
const source = { git: 'https://example.org/a', build: 'date' } as const;

test('without paths they are the files of the tables, where they are', () => {
  const raw = { title: 'Game', tables: TABLES, source };
  const place = placeFiles(raw);
  const files = [
    'raw/units/ann.json',
    'raw/items.json',
    'package.json',
    'raw/units/.hidden.json',
    'raw/more.json',
  ];
  assert.equal(files.map(place), ['raw/units/ann.json', 'raw/items.json', undefined, undefined, undefined]);
  assert.equal(upstreamFolders(raw), ['raw/units', 'raw/items.json']);
});

test('paths move them into the folder of the build; the longest one counts', () => {
  const paths = { master: 'raw', 'master/v2': 'raw/units', 'list.json': 'raw/items.json' };
  const raw = { title: 'Game', tables: TABLES, source: { ...source, paths } };
  const place = placeFiles(raw);
  const files = [
    'master/units/a.json',
    'master/v2/b.json',
    'list.json',
    'raw/items.json',
    'masters/items.json',
  ];
  assert.equal(files.map(place), [
    'raw/units/a.json',
    'raw/units/b.json',
    'raw/items.json',
    undefined,
    undefined,
  ]);
  assert.equal(upstreamFolders(raw), ['master', 'master/v2', 'list.json']);
});

test('the whole repository can become a folder, and nothing leaves the folder of the build', () => {
  const raw = { title: 'Game', tables: TABLES, source: { ...source, paths: { '.': 'raw' } } };
  const place = placeFiles(raw);
  const files = ['items.json', 'units/ann.json', '../items.json', 'units/..\\a.json', 'units/a\u0007.json'];
  assert.equal(files.map(place), ['raw/items.json', 'raw/units/ann.json', undefined, undefined, undefined]);
  assert.equal(upstreamFolders(raw), []);
});

test.run();
