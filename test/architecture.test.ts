import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LIBRARIES } from '../scripts/parts/reuse/libraries.ts';
import { CHECKS, type Permissions } from './support/architecture/checks.ts';
import { packagesOf, readCode } from './support/architecture/code.ts';
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
  schemas: 'findings lib',
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
  log: 'keys lib',
  http: 'lib plans',
  store: 'log plans scripts/lib',
  query: 'bytes lib scripts/format scripts/lib',
  catalog: 'lib log plans query scripts/format scripts/lib',
  wire: 'bytes http lib log plans scripts/format',
  access: 'http keys lib log plans scripts/lib store',
  'past-builds': 'catalog http log scripts/diff scripts/format scripts/lib scripts/shared/patches',
  api: 'access bytes catalog http lib log past-builds plans query store wire scripts/diff scripts/format scripts/lib',
  accounts: 'access keys plans scripts/lib store',
  'server.ts': 'access api catalog http lib log past-builds plans store wire',
  commands:
    'accounts api catalog http keys lib log plans server.ts store wire scripts/lib scripts/shared/publication',
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

test.run();
