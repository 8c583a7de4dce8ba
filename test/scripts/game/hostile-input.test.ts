import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FileRef, INDEX_FILE, type Index, type Manifest } from '../../../scripts/format/dist-format.ts';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { linesOf } from '../check/cases.ts';
import { hashFolder } from '../commands/hash-folder.ts';

const test = suite('hostile input');

const HEALTHY = inFolder('data/healthy', gameFiles());

/** The text for each finding: `<severity> <file>:<line> <pointer> (<check>)`. */
function toldPlaces(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => /^(error|warning) /.test(line))
    .map((line) => line.replace('data/hostile/', ''));
}

const MAPPED = linesOf('{"n": "1"}', '{"n": "x"}');

function mapped(entry: string, rows = MAPPED): Files {
  return {
    'game.json': {
      title: 'Game',
      tables: { rows: 'raw/rows.json' },
      datasets: { d: { from: 'rows', entry } },
    },
    '1.0/raw/rows.json': rows,
  };
}

function tables(files: string): Files {
  return { 'game.json': `{"title": "Game",\n"tables":\n{\n"t": ${JSON.stringify(files)}}}` };
}

interface Case {
  /** Files that replace or join those of a healthy game. */
  files: Files;
  /** Prepares what is not a plain file, such as a link. Gets the game's folder. */
  prepare?: (folder: string) => Promise<unknown>;
  expected: string[];
}

const ALIASES = `a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]\n${Array.from(
  { length: 9 },
  (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]\n`,
).join('')}`;

const faults: Record<string, Case> = {
  'truncated JSON': {
    files: { '1.0/characters.json': '[\n{"id": "ann", "name": "Ann"' },
    expected: ['error 1.0/characters.json:2 (json-syntax)'],
  },
  'a key twice': {
    files: { '1.0/characters.json': '[\n{"id": "ann",\n"name": "Ann",\n"name": "Bob"}]' },
    expected: ['error 1.0/characters.json:4 /0/name (duplicate-key)'],
  },
  'latin-1 bytes': {
    files: { '1.0/items.csv': Buffer.from('id,name\ni1,tea\ni2,caf\xe9\n', 'latin1') },
    expected: ['error 1.0/items.csv:3 (file-text)'],
  },
  'a ragged CSV row': {
    files: { '1.0/items.csv': 'id,name,cost\ni1,tea,1\ni2,milk\n' },
    expected: ['error 1.0/items.csv:3 /1 (csv-syntax)'],
  },
  'an empty JSON file': {
    files: { '1.0/items.json': '' },
    expected: ['error 1.0/items.json:1 (json-syntax)'],
  },
  'an empty CSV file': { files: { '1.0/items.csv': '' }, expected: ['error 1.0/items.csv:1 (csv-syntax)'] },
  'an empty game.json': { files: { 'game.json': '' }, expected: ['error game.json:1 (json-syntax)'] },
  'a missing table': { files: tables('t.json'), expected: ['error game.json:4 /tables/t (table-files)'] },
  'an expression that fails on a row': {
    files: mapped("{'n': $number(n)}"),
    expected: ['error 1.0/raw/rows.json:3 /1 (expression-result)'],
  },
  'an expression that gives no object': {
    files: mapped('n'),
    expected: [2, 3].map((line) => `error 1.0/raw/rows.json:${line} /${line - 2} (expression-result)`),
  },
  'a field name with a dot': {
    files: { '1.0/characters.json': linesOf('{"id": "a", "name": "A", "a.b": 1}') },
    expected: ['error 1.0/characters.json:2 /0/a.b (attribute-names)'],
  },
  'a field name with a bracket': {
    files: { '1.0/characters.json': linesOf('{"id": "a", "name": "A",\n"hp[gte]": 1}') },
    expected: ['error 1.0/characters.json:3 /0/hp[gte] (attribute-names)'],
  },
  'an id twice': {
    files: { '1.0/characters.json': linesOf('{"id": "a", "name": "A"}', '{"id": "a", "name": "B"}') },
    expected: ['error 1.0/characters.json:3 /1/id (ids)'],
  },
  'an id with a slash': {
    files: { '1.0/characters.json': linesOf('{"id": "a/../b", "name": "A"}') },
    expected: ['error 1.0/characters.json:2 /0/id (character-schema)'],
  },
  'NaN in JSON': {
    files: { '1.0/characters.json': linesOf('{"id": "a", "name": "A"}', '{"id": "b", "rate": NaN}') },
    expected: ['error 1.0/characters.json:3 (json-syntax)'],
  },
  'NaN in CSV': {
    files: { '1.0/items.csv': 'id,rate:number\ni1,1\ni2,NaN\n' },
    expected: ['error 1.0/items.csv:3 /1/rate (csv-syntax)'],
  },
  'NaN in YAML': {
    files: { '1.0/items.yaml': '- id: i1\n  rate: .nan\n' },
    expected: ['error 1.0/items.yaml:2 /0/rate (shape)'],
  },
  'an expression that gives no number': {
    files: mapped("{'n': 1e308 * 10}"),
    expected: [2, 3].map((line) => `error 1.0/raw/rows.json:${line} /${line - 2} (expression-result)`),
  },
  'a folder in the place of game.json': {
    files: { 'game.json': undefined, 'game.json/x': '' },
    expected: ['error game.json:1 (file-text)'],
  },
  'a pipe in the place of game.json': {
    files: { 'game.json': undefined },
    prepare: (folder) => promisify(execFile)('mkfifo', [path.join(folder, 'game.json')]),
    expected: ['error game.json:1 (file-text)'],
  },
  'a gzip bomb': {
    files: { '1.0/items.json.gz': gzipSync(Buffer.alloc(257 * 2 ** 20, ' ')) },
    expected: ['error 1.0/items.json.gz:1 (file-text)'],
  },
  'a gzip file that is cut off': {
    files: { '1.0/items.json.gz': gzipSync('[]').subarray(0, 15) },
    expected: ['error 1.0/items.json.gz:1 (file-text)'],
  },
  'YAML aliases that explode': {
    files: { '1.0/items.yaml': ALIASES },
    expected: ['error 1.0/items.yaml:7 /a6/0 (yaml-alias)'],
  },
  'nesting without end': {
    files: { '1.0/items.json': `[{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}]` },
    expected: [`error 1.0/items.json:1 /0/a${'/0'.repeat(63)} (shape)`],
  },
  'a path out of the folder': {
    files: tables('../../healthy/1.0/characters.json'),
    expected: ['error game.json:4 /tables/t (definition)'],
  },
  'a pattern out of the folder': {
    files: tables('..{/,x}..{/,x}healthy/1.0/characters.json'),
    expected: ['error game.json:4 /tables/t (table-files)'],
  },
  'braces without end': {
    files: tables('{1..1000000000}.json'),
    expected: ['error game.json:4 /tables/t (table-files)'],
  },
  'a link out of the folder': {
    files: tables('raw/*.json'),
    prepare: async (folder) => {
      await mkdir(path.join(folder, '1.0/raw'));
      await symlink('../../../healthy/1.0/characters.json', path.join(folder, '1.0/raw/a.json'));
    },
    expected: ['error 1.0/raw/a.json:1 (table-files)', 'error game.json:4 /tables/t (table-files)'],
  },
  'a link that leads back to its own folder': {
    files: { ...tables('raw/**/*.json'), '1.0/raw/a.json': { a: 1 } },
    prepare: (folder) => symlink('.', path.join(folder, '1.0/raw/again')),
    expected: ['error 1.0/raw/again:1 (table-files)'],
  },
  'a link in the place of a build': {
    files: {},
    prepare: (folder) => symlink('../healthy/1.0', path.join(folder, '2.0')),
    expected: ['error 2.0:1 (build-definition)'],
  },
  'a catastrophic pattern': {
    files: {
      'game.json': { title: 'Game', schemas: { items: 'schemas/items.json' } },
      'schemas/items.json': { properties: { a: { pattern: '^(a+)+$' } } },
      '1.0/items.json': linesOf(`{"a": "${'a'.repeat(50_000)}!"}`),
    },
    expected: ['error 1.0/items.json:2 /0/a (dataset-schema)'],
  },
};

// Root can read files without read permission.
if (process.getuid?.() !== 0) {
  faults['a file that must not be read'] = {
    files: { '1.0/items.json': '[]' },
    prepare: (folder) => chmod(path.join(folder, '1.0/items.json'), 0),
    expected: ['error 1.0/items.json:1 (file-text)'],
  };
}

const template = await mkdtemp(path.join(tmpdir(), 'hostile-'));

test.before(async () => {
  await writeFiles(template, { ...HEALTHY, ...inFolder('data/hostile', gameFiles()) });
  const { code, stderr } = await runInProcess('gamedata', ['build'], { cwd: template });
  assert.is(code, 0, stderr);
});
test.after(() => rm(template, { recursive: true }));

/** Builds a healthy and a hostile game. */
async function buildHostile(
  { files, prepare }: Omit<Case, 'expected'>,
  use: (cwd: string, build: () => Promise<Outcome>) => Promise<void> | void,
): Promise<void> {
  await withFolder({ ...HEALTHY, ...inFolder('data/hostile', gameFiles(files)) }, async (cwd) => {
    await prepare?.(path.join(cwd, 'data/hostile'));
    await use(cwd, () => runInProcess('gamedata', ['build'], { cwd }));
  });
}

for (const [name, hostile] of Object.entries(faults)) {
  test(`${name} is reported with its place, and stops all writing`, async () => {
    await buildHostile(hostile, async (cwd, build) => {
      // The game was published while it was healthy.
      await cp(path.join(template, 'dist'), path.join(cwd, 'dist'), { recursive: true });
      const before = await hashFolder(path.join(cwd, 'dist'));
      const { code, stdout, stderr } = await build();
      assert.is(code, 1, stderr);
      assert.is(stdout, '');
      assert.equal(toldPlaces(stderr), hostile.expected);
      assert.match(stderr, /^healthy: 1 build, 1 character, 1 dataset$/m);
      assert.not.match(stderr, /^ +at /m);
      assert.equal(await hashFolder(path.join(cwd, 'dist')), before);
    });
  });
}

/** The text of a collection of the hostile game in its newest build. */
async function readBuilt(cwd: string, of: (build: Manifest['builds'][number]) => FileRef): Promise<string> {
  const read = (file: string) => readFile(path.join(cwd, 'dist', file), 'utf8');
  const { games } = JSON.parse(await read(INDEX_FILE)) as Index;
  const entry = games.find(({ slug }) => slug === 'hostile') as Index['games'][number];
  const { builds } = JSON.parse(await read(entry.manifest.file)) as Manifest;
  return await read(of(builds.at(-1) as Manifest['builds'][number]).file);
}

const rights: [name: string, files: Files, characters: string][] = [
  [
    'a byte order mark',
    { '1.0/characters.json': '\ufeff[{"id": "ann", "name": "Ann"}]' },
    '{"id":"ann","name":"Ann"}',
  ],
  [
    'integers beyond 2^53',
    {
      '1.0/characters.json':
        '[{"id": 9007199254740993, "name": "A", "n": [-9007199254740993, 18446744073709551615]}]',
    },
    '{"id":"9007199254740993","name":"A","n":["-9007199254740993","18446744073709551615"]}',
  ],
  [
    '__proto__ and constructor as ids',
    { '1.0/characters.json': '{"__proto__": {"name": "P"}, "constructor": {"name": "C"}}' },
    '{"id":"__proto__","name":"P"},\n{"id":"constructor","name":"C"}',
  ],
  [
    '__proto__ and constructor as fields',
    {
      '1.0/characters.json':
        '[{"id": "a", "name": "A", "__proto__": {"constructor": 1}, "constructor": "c"}]',
    },
    '{"id":"a","name":"A","__proto__":{"constructor":1},"constructor":"c"}',
  ],
];
for (const [name, files, characters] of rights) {
  test(`${name}: accepted, and correct in dist/`, async () => {
    await buildHostile({ files }, async (cwd, build) => {
      const { code, stderr } = await build();
      assert.is(code, 0, stderr);
      assert.equal(toldPlaces(stderr), []);
      assert.is(await readBuilt(cwd, ({ characters }) => characters), `[\n${characters}\n]\n`);
    });
  });
}

test.run();
