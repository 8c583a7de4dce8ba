import { readdir } from 'node:fs/promises';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isKnownFile, KNOWN_FILES } from '../../../scripts/read/files.ts';
import { expandPattern, matchPattern } from '../../../scripts/read/patterns.ts';
import { withFolder } from '../../support/fixtures.ts';

const test = suite('patterns of files');

function foundBy(pattern: string): string {
  const expansion = expandPattern(pattern);
  return 'problem' in expansion ? expansion.problem.found : 'nothing';
}

test('braces are expanded as fast-glob does', () => {
  assert.equal(expandPattern('raw/{a,b}.{json,yaml}'), {
    parts: ['raw/a.json', 'raw/a.yaml', 'raw/b.json', 'raw/b.yaml'],
  });
  assert.equal(expandPattern('raw/x{1..3}.json'), { parts: ['raw/x1.json', 'raw/x2.json', 'raw/x3.json'] });
});

test('a pattern is refused if one of its meanings leads out of the folder', () => {
  const outside =
    '{raw,..}/x.json {raw/,}/*.json {/etc,raw}/* {raw,.}{.,x}/x.json raw/{a,{b,..}}/x.json {a,}/x.json';
  for (const pattern of `${outside} {!/,a}/x {.,a}/x`.split(' '))
    assert.match(foundBy(pattern), /^".*", which the pattern stands for and which is outside/);
});

test('a pattern that stands for too many, is too long or cannot be read is refused without expanding it', () => {
  for (const pattern of [
    ...[
      '{1..1000000000}',
      '{1..1001}.json',
      '{a..z}{a..z}{a..z}',
      '{1..9e2}{1..9e2}{1..9e2}',
      '{1..1000}{1,2}',
    ],
    ...['{a,b}'.repeat(40), '{a,b{c,d}}'.repeat(20), '{{a,b}{a,b}{a,b},'.repeat(20)],
    '{a,'.repeat(60) + '}'.repeat(60),
  ])
    assert.match(foundBy(pattern), /whose braces stand for more than 1000 patterns$/);
  assert.is(foundBy('{(})'), '"{(})", whose braces cannot be read');
  assert.equal(
    [foundBy('a'.repeat(1000)), foundBy('a'.repeat(1001))],
    ['nothing', 'a pattern of 1001 characters'],
  );
});

const PATHS = [
  ...[
    'units.json',
    'units.csv.gz',
    'Units.JSON',
    'units',
    'read-me.md',
    'build.json',
    'a b (1).json',
    '[x].json',
  ],
  ...['x.json', 'raw/a.json', 'raw/b.yaml', 'raw/deep/c.json', 'raw/deep/er/d.json', 'raw+/a.json'],
  ...['en_US/raw/a.json', 'ja_JP/raw/a.json'],
];
const PATTERNS = [
  ...[
    'units.json',
    'raw/*.json',
    'raw/**/*.json',
    '**/a.json',
    '*/raw/*.json',
    '{en_US,ja_JP}/raw/*.json',
    '[x].json',
  ],
  ...[
    'a b (1).json',
    'raw/{a,b}.{json,yaml}',
    '@(units|x).json',
    '!(units).json',
    'raw/?.json',
    '**',
    'raw+/*',
  ],
  ...[
    '!units.json',
    '{*.json,!units.json}',
    'x{1..3}.json',
    '@(..)/*',
    '[.][.]/*',
    '{a,b',
    '**/**/**/*.json',
  ],
];
const NAMES = [
  ...[
    'a.json',
    'a.json.gz',
    'a.b.yml',
    'ä b.tsv',
    'a.ndjson',
    'a.kv',
    '.json',
    '.a.json',
    '.json.gz',
    'a.JSON',
  ],
  ...['a.gz', 'json', 'xjson', 'a.json.gz.gz', 'a.txt2', '.gz', 'a.json~'],
];

test('exactly the paths match that fast-glob finds on disk', async () => {
  await withFolder(Object.fromEntries(PATHS.map((file) => [file, ''])), async (cwd) => {
    for (const pattern of [...PATTERNS, KNOWN_FILES]) {
      const found = await fastGlob(pattern, { cwd, followSymbolicLinks: false });
      assert.equal(PATHS.filter(matchPattern(pattern)).sort(), found.sort(), pattern);
    }
  });
  await withFolder(Object.fromEntries(NAMES.map((name) => [name, ''])), async (cwd) => {
    const known = (await readdir(cwd)).filter(isKnownFile);
    assert.equal(known.sort(), (await fastGlob(KNOWN_FILES, { cwd })).sort());
    assert.is(known.length, 6);
  });
});

test.run();
