import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KNOWN_FILES } from '../../../scripts/read/files.ts';
import { matchPattern } from '../../../scripts/read/patterns.ts';
import { type Files, withFolder } from '../../support/fixtures.ts';

const test = suite('matchPattern');

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
    'x.json',
  ],
  ...[
    'raw/a.json',
    'raw/b.yaml',
    'raw/deep/c.json',
    'raw/deep/er/d.json',
    'raw+/a.json',
    'en_US/raw/a.json',
    'ja_JP/raw/a.json',
  ],
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
    '!units.json',
    '{*.json,!units.json}',
    'x{1..3}.json',
    '@(..)/*',
    '[.][.]/*',
    '{a,b',
    '**/**/**/*.json',
    KNOWN_FILES,
  ],
];

test('matches exactly the paths that fast-glob finds on disk', async () => {
  const files: Files = Object.fromEntries(PATHS.map((file) => [file, '']));
  await withFolder(files, async (cwd) => {
    for (const pattern of PATTERNS) {
      const found = await fastGlob(pattern, { cwd, followSymbolicLinks: false });
      assert.equal(PATHS.filter(matchPattern(pattern)).sort(), found.sort(), pattern);
    }
  });
});

test.run();
