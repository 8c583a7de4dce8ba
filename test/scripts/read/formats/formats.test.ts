import { readdir } from 'node:fs/promises';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isKnownFile, KNOWN_FILES } from '../../../../scripts/read/files.ts';
import { withFolder } from '../../../support/fixtures.ts';

const test = suite('formats');

const NAMES = [
  ...['a.json', 'a.json.gz', 'a.b.yml', 'ä b.tsv', 'a.ndjson', 'a.kv', '.json', '.a.json', '.json.gz'],
  ...['a.JSON', 'a.gz', 'json', 'xjson', 'a.json.gz.gz', 'a.txt2', '.gz', 'a.json~'],
];

test('isKnownFile accepts exactly the names that the glob KNOWN_FILES finds', async () => {
  await withFolder(Object.fromEntries(NAMES.map((name) => [name, ''])), async (folder) => {
    const found = await fastGlob(KNOWN_FILES, { cwd: folder });
    const known = (await readdir(folder)).filter(isKnownFile);
    assert.equal(known.sort(), found.sort());
    assert.is(known.length, 6);
  });
});

test.run();
