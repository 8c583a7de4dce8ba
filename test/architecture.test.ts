import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LIBRARIES } from '../scripts/parts/reuse/libraries.ts';
import { CHECKS, type Permissions } from './support/architecture/checks.ts';
import { loadsOf, packageOf, packagesOf, readCode } from './support/architecture/code.ts';
import { findWays } from './support/architecture/find-cycles.ts';
import { ROOT } from './support/paths.ts';

/**
 * What each room of the two cores may import: the single source of truth. A room is a folder, or a file outside all folders. docs/ARCHITECTURE.md
 * explains the order. To add an arrow, add it here, and say in the commit why the room needs it. A part may import the core, and itself.
 */

/** scripts/core/. A room is listed below all rooms that it imports. */
const COMPILER: Permissions = {
  lib: '',
  format: '',
  findings: 'lib',
  schemas: 'findings format lib',
  watchdog: 'findings lib',
  read: 'findings format lib schemas',
  jsonata: 'lib',
  compile: 'findings format jsonata lib read',
  dictionary: 'compile format read',
  diff: 'format lib',
  dist: 'format lib schemas',
  recorded: 'dist findings format lib read schemas',
  check: 'compile findings format lib read schemas',
  report: 'findings format read',
  game: 'check compile dictionary diff dist findings format jsonata lib read recorded report',
  workers: 'check dist findings game jsonata lib read report watchdog',
  commands: 'check dist findings format game lib read recorded report watchdog workers',
};

/** gateway/core/. A room is listed below all rooms that it imports. Those of scripts/core/ are named `scripts/…`, and those of scripts/shared/ by their paths. */
const GATEWAY: Permissions = {
  lib: 'scripts/lib',
  keys: '',
  plans: '',
  bytes: '',
  log: 'lib',
  http: 'lib plans',
  store: 'log plans scripts/lib',
  query: 'bytes lib scripts/format scripts/lib',
  catalog: 'lib log plans query scripts/format scripts/lib',
  wire: 'bytes http lib log plans scripts/format',
  access: 'http keys lib plans scripts/lib store',
  'past-builds': 'catalog http log scripts/diff scripts/format scripts/lib scripts/shared/patches',
  api: 'access bytes catalog http lib log past-builds plans query store wire scripts/diff scripts/format scripts/lib scripts/shared/patches',
  accounts: 'keys plans scripts/lib store',
  'server.ts': 'access api catalog http lib past-builds store wire',
  commands: 'accounts api catalog http keys lib log plans server.ts store scripts/lib',
};

const PERMISSIONS = { ...inFolder('scripts', COMPILER), ...inFolder('gateway', GATEWAY) };

/** The same permissions with whole paths. */
function inFolder(folder: string, permissions: Permissions): Permissions {
  const pathOf = (name: string) =>
    name.startsWith('scripts/')
      ? name.replace(/^scripts\/(?!shared)/, 'scripts/core/')
      : `${folder}/core/${name}`;
  return Object.fromEntries(
    Object.entries(permissions).map(([room, names]) => [pathOf(room), names.replace(/\S+/g, pathOf)]),
  );
}

const test = suite('architecture');

const code = await readCode(ROOT);
for (const { name, description, find } of CHECKS) {
  test(`${name}: ${description}`, () => {
    assert.equal(find(code, PERMISSIONS), []);
  });
}

test('a build is compiled again when a package that compiles it has changed', () => {
  const starts = ['core/game/compile-game.ts', 'parts/steps/door.ts', 'parts/bulk/door.ts'];
  const packages = starts.flatMap((file) => packagesOf(code, `scripts/${file}`));
  assert.equal([...new Set(packages)].sort(), LIBRARIES);
});

test('a build that finds nothing changed loads no compiler', () => {
  const doors = [...code.sources.keys()].filter((file) => /^scripts\/parts\/\w+\/door\.ts$/.test(file));
  const starts = [
    'scripts/cli.ts',
    'scripts/core/commands/build.ts',
    'scripts/parts/reuse/last-run.ts',
    ...doors,
  ];
  const loaded = [...findWays(loadsOf(code, false), starts).keys()];
  const packages = loaded.filter((target) => packageOf(target) !== undefined);
  assert.equal(packages.sort(), ['commander', 'fastest-levenshtein']);
});

/** How many lines of code each core may have, without comments and blank lines. Lower a limit when you can. */
const MAX_CORE_LINES = { 'gateway/core': 9_000, 'scripts/core': 10_750 };
const NO_CODE = /^\s*(\/\/|\/?\*[*/ ]|\*?$)/;

for (const [core, most] of Object.entries(MAX_CORE_LINES))
  test(`${core}/ has at most ${most} lines of code`, async () => {
    const files = [...code.sources.keys()].filter((file) => file.startsWith(`${core}/`));
    const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')));
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => !NO_CODE.test(line));
    assert.ok(lines.length <= most, `${lines.length} lines`);
  });

/** How many casts the sources may have (`as T`, except `as const`). Lower it when you can. */
const MAX_CASTS = 267;

test(`the sources have at most ${MAX_CASTS} casts`, () => {
  const casts = [...code.sources.values()].reduce((sum, source) => sum + source.casts, 0);
  assert.ok(casts <= MAX_CASTS, `${casts} casts`);
});

/** How many files a gateway without parts may load: those that it imports, also later. */
const MAX_LOADED = 120;

test(`gateway serve --parts none loads at most ${MAX_LOADED} files`, () => {
  const loads = new Map([...loadsOf(code)].filter(([file]) => file !== 'gateway/doors.ts'));
  const loaded = [...findWays(loads, ['gateway/cli.ts']).keys()].filter((file) => code.sources.has(file));
  assert.ok(loaded.length <= MAX_LOADED, `${loaded.length} files`);
});

/** Where work is done again when a part of a list was missing (gateway/core/lib/README.md): what it caught could not be prepared. */
const REPEATED = /^gateway\/(core\/query|parts\/(search|languages|nested-filters))\//;

test('queries, which run again when a part of a list was missing, catch nothing', async () => {
  const files = [...code.sources.keys()].filter((file) => REPEATED.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')));
  assert.ok(files.length > 25, `${files.length} files`);
  assert.equal(
    files.filter((_, at) => /\bcatch\b/.test(texts[at] ?? '')),
    [],
  );
});

const MAX_FILES = 25;

test(`no folder has more than ${MAX_FILES} files beside each other`, () => {
  const counts = new Map<string, number>();
  for (const file of code.sources.keys()) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > MAX_FILES);
  assert.equal(large, []);
});

test.run();
