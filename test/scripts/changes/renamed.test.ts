import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../check/cases.ts';

const test = suite('check renamed');

/** The first two of twenty characters have other ids in the later build, and the dataset `d` has no ids. */
const step = (renamed: Json, later: Record<string, Json> = {}): Files => ({
  ...twoBuilds(
    { characters: manyRecords(20), d: [{ cost: 1 }] },
    {
      characters: manyRecords(20, (index) => (index < 2 ? { id: `new-${index}` } : {})),
      d: [{ cost: 1 }],
      ...later,
    },
  ),
  '1.1/build.json': `{"released_at": "2026-01-02",\n"renamed":\n${JSON.stringify(renamed)}}`,
});
const of = (renames: Json) => step({ characters: renames });
const BOTH = { 'id-0': 'new-0', 'id-1': 'new-1' };

/** What `renamed` has, where the finding is, and what it says. */
const CASES: [what: string, files: Files, places: string[], found?: RegExp][] = [
  ['both records', of(BOTH), []],
  ['nothing', of({}), ['records-lost 1.1/characters.json:1']],
  [
    'an unknown collection',
    step({ charcters: BOTH }),
    ['renamed 1.1/build.json:3 /renamed/charcters', 'records-lost 1.1/characters.json:1'],
    /^no collection "charcters" in the build before$/,
  ],
  [
    'a collection whose records have no ids',
    step({ characters: BOTH, d: { a: 'b' } }),
    ['renamed 1.1/build.json:3 /renamed/d'],
    /^"d", whose records have no ids in the build before$/,
  ],
  [
    'an unknown old id',
    of({ ...BOTH, 'id-20': 'new-2' }),
    ['renamed 1.1/build.json:3 /renamed/characters/id-20'],
    /^no record "id-20" in the build before$/,
  ],
  [
    'an unknown new id',
    of({ ...BOTH, 'id-1': 'nwe-1' }),
    ['renamed 1.1/build.json:3 /renamed/characters/id-1'],
    /^no record "nwe-1" in this build; 1 finding that it causes: not listed$/,
  ],
  [
    'two old ids and one new id',
    of({ 'id-0': 'new-0', 'id-1': 'new-0' }),
    ['renamed 1.1/build.json:3 /renamed/characters/id-1'],
    /^a second record with the new id "new-0"$/,
  ],
  [
    'a new id that another record had before, and which is renumbered too',
    step(
      { characters: { 'id-0': 'id-1', 'id-1': 'id-0' } },
      {
        characters: manyRecords(20, (index) => (index < 2 ? { name: `Name ${1 - index}` } : {})),
      },
    ),
    [],
  ],
  ['a list', step([BOTH]), ['definition 1.1/build.json:2 /renamed']],
  ['a collection that is a text', of('new'), ['definition 1.1/build.json:2 /renamed']],
  ['a new id that is a number', of({ 'id-0': 7 }), ['definition 1.1/build.json:2 /renamed']],
  ['an empty new id', of({ 'id-0': '' }), ['definition 1.1/build.json:2 /renamed']],
];
for (const [what, files, places, found] of CASES)
  testFindings(test, `${what}: ${places.join(', ') || 'no finding'}`, files, places, found);

testFindings(
  test,
  'renumbered records in the first build',
  { '1.0/build.json': { released_at: '2026-01-01', renamed: { characters: { a: 'ann' } } } },
  ['renamed 1.0/build.json:4 /renamed/characters'],
  /^renumbered records in the first build$/,
);

const inFile = (content: Json | undefined, file = 'renamed/1.1.json'): Files => ({
  ...step(file),
  [file]: content,
});

/** What the file has that "renamed" names, and where the finding is. */
const FILES: [what: string, files: Files, places: string[]][] = [
  ['a file', inFile({ characters: BOTH }), []],
  [
    'a file with an unknown id',
    inFile('{"characters":\n{"id-0": "new-0", "id-1": "new-1",\n"id-20": "new-2"}}'),
    ['renamed renamed/1.1.json:3 /characters/id-20'],
  ],
  ['a file that does not exist', inFile(undefined), ['renamed 1.1/build.json:2 /renamed']],
  ['a file with a syntax error', inFile('{'), ['json-syntax renamed/1.1.json:1']],
  ['a file of another form', inFile({ characters: ['id-0'] }), ['renamed renamed/1.1.json:2 /characters']],
  ['a path out of the folder', step('../1.1.json'), ['definition 1.1/build.json:2 /renamed']],
];
for (const [what, files, places] of FILES)
  testFindings(test, `${what}: ${places.join(', ') || 'no finding'}`, files, places);

test('the finding about an unknown id proposes one that exists', async () => {
  const { findings } = await compileFiles(gameFiles(of({ ...BOTH, 'id-1': 'nwe-1' })));
  assert.is(findings[0]?.fix, 'did you mean "new-1"?');
});

test.run();
