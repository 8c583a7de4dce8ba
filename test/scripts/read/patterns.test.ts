import { readdir } from 'node:fs/promises';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isKnownFile, KNOWN_FILES } from '../../../scripts/read/formats.ts';
import { matchPattern } from '../../../scripts/read/patterns.ts';
import { withFolder } from '../../support/fixtures.ts';

const test = suite('patterns of files');

const PATHS =
  'units.json units.csv.gz Units.JSON units build.json [x].json 5.json 07.json 11.json x.json raw/a.json raw/b.yaml raw/deep/er/d.json raw+/a.json en_US/raw/a.json'.split(
    ' ',
  );
const PATTERNS =
  'units.json raw/*.json raw/**/*.json **/a.json */raw/*.json {en_US,ja_JP}/raw/*.json [x].json raw/{a,b}.{json,yaml} @(units|x).json !(units).json raw/?.json ** raw+/* !units.json {1..9}.json {1..12}.json {01..12}.json {01..12..5}.json @(..)/* [.][.]/* {a,b **/**/**/*.json'.split(
    ' ',
  );
const NAMES =
  'a.json a.json.gz a.b.yml ä.tsv a.ndjson a.kv .json .a.json .json.gz a.JSON a.gz json xjson a.json.gz.gz a.txt2 .gz a.json~'.split(
    ' ',
  );

test('exactly the paths match that fast-glob finds on disk', async () => {
  await withFolder(Object.fromEntries(PATHS.map((file) => [file, ''])), async (cwd) => {
    for (const pattern of [...PATTERNS, KNOWN_FILES]) {
      const found = await fastGlob(pattern, { cwd, followSymbolicLinks: false });
      assert.equal(PATHS.filter(matchPattern(pattern)).sort(), found.sort(), pattern);
    }
  });
  await withFolder(Object.fromEntries(NAMES.map((name) => [name, ''])), async (cwd) => {
    const known = (await readdir(cwd)).filter(isKnownFile);
    const found = await fastGlob(KNOWN_FILES, { cwd, caseSensitiveMatch: false });
    assert.equal([known.sort(), known.length], [found.sort(), 7]);
  });
});

test.run();
