import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LIBRARIES } from '../scripts/reuse/libraries.ts';
import { CHECKS, type Permissions } from './support/architecture/checks.ts';
import { packagesOf, readCode } from './support/architecture/code.ts';
import { ROOT } from './support/paths.ts';

/**
 * What each room may import: the single source of truth. A room is a folder, or a file outside all folders. docs/ARCHITECTURE.md explains
 * the order. To add an arrow, add it here, and say in the commit why the room needs it.
 */

/** scripts/. A room is listed below all rooms that it imports. */
const COMPILER: Permissions = {
  lib: '',
  format: '',
  findings: 'lib',
  schemas: 'findings format lib',

  // The stages, in the order of the data.
  read: 'findings format lib schemas',
  jsonata: '',
  compile: 'findings format jsonata lib read',
  dictionary: 'compile format read',
  check: 'compile dictionary findings format lib read schemas',
  diff: 'format lib',
  bulk: 'format',
  dist: 'bulk format lib schemas',

  publish: 'dist format lib',
  types: 'format',

  // One game, from its folder to a plan.
  recorded: 'diff dist findings format lib publish read schemas',
  report: 'check findings format lib read',
  reuse: 'check compile dist findings format lib read',
  game: 'check compile dictionary diff dist findings format jsonata lib read recorded report reuse',

  // Tools for maintainers and operators.
  dump: 'findings format lib read',
  propose: 'compile dump format lib read',
  add: 'dump findings format lib read recorded report',
  pull: 'add format lib read schemas',
  references: 'add findings lib pull read',
  notify: 'lib',
  review: 'check diff findings format lib pull report',
  try: 'check compile dump findings format jsonata lib read report',
  'editor-schemas': 'check read schemas',

  // All games, and the command line.
  watchdog: 'findings lib',
  workers: 'check dist findings game jsonata lib read references report try watchdog',
  commands:
    'add diff dist dump findings format lib notify propose publish pull read recorded references report reuse review schemas try types watchdog workers',
  'cli.ts': 'commands',
};

/** gateway/. A room is listed below all rooms that it imports. The core comes first, then people/, then the command line. */
const GATEWAY: Permissions = {
  lib: 'scripts/lib',
  keys: '',
  plans: '',
  bytes: '',
  log: 'keys lib',
  store: 'log plans',
  jobs: 'log store',

  // From dist/ to a response.
  query: 'bytes lib scripts/format',
  tables: 'bytes lib query scripts/format',
  catalog: 'lib log plans query scripts/format scripts/lib scripts/publish',
  http: 'lib plans',
  'past-builds': 'catalog http log scripts/diff scripts/format scripts/lib',
  'snapshot-links': 'store scripts/publish',
  access: 'http keys lib log plans store',
  wire: 'bytes http lib log plans scripts/format',
  client: '',
  layout: 'http lib wire',
  api: 'access bytes catalog http lib log past-builds plans query snapshot-links store tables wire scripts/diff scripts/format',
  mcp: 'access api http lib log plans scripts/format scripts/lib',
  metrics: 'access catalog http lib log plans store scripts/format scripts/lib',
  doctor: 'catalog lib store scripts/format scripts/lib',
  'server.ts': 'access api catalog http lib log past-builds plans snapshot-links store wire scripts/lib',

  // What visitors see. The core does not import it.
  site: 'catalog http layout lib past-builds plans query wire scripts/format',

  // Everything about people. The core gets it as a service, and imports none of it.
  'people/web': 'http layout lib log scripts/lib',
  'people/audit': 'jobs store',
  'people/accounts': 'access keys people/audit plans store',
  'people/mail': 'access http keys lib log people/accounts people/web plans store scripts/lib',
  'people/signup': 'access http lib people/accounts people/mail people/web plans store',
  'people/membership':
    'access http keys lib log people/accounts people/audit people/mail people/web plans store',
  'people/security-mails': 'jobs log people/accounts people/audit people/mail plans store',
  'people/key-revocation': 'access http keys log people/accounts people/web store',
  'people/alerts':
    'api catalog http jobs keys log people/accounts people/audit people/mail people/web plans store wire scripts/diff scripts/format scripts/lib',
  'people/game-requests': 'catalog jobs log people/accounts people/mail plans store',
  'people/privacy': 'people/accounts people/alerts people/audit people/game-requests people/mail plans store',
  'people/account-pages':
    'access catalog http keys people/accounts people/alerts people/audit people/game-requests people/mail people/membership people/privacy people/security-mails people/signup people/web plans store',
  people:
    'access api catalog http keys log people/account-pages people/accounts people/alerts people/game-requests people/key-revocation people/mail people/membership people/security-mails people/signup people/web store',

  commands:
    'catalog doctor http keys layout lib log mcp metrics people people/account-pages people/accounts people/alerts people/audit people/game-requests people/mail people/membership people/privacy people/signup plans server.ts site snapshot-links store scripts/lib scripts/publish',
  'cli.ts': 'commands lib',
};

const PERMISSIONS = { ...inFolder('scripts', COMPILER), ...inFolder('gateway', GATEWAY) };

/** The same permissions with whole paths. */
function inFolder(folder: string, permissions: Permissions): Permissions {
  const pathOf = (name: string) => (name.startsWith('scripts/') ? name : `${folder}/${name}`);
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
  assert.equal(packagesOf(code, 'scripts/game/compile-game.ts'), LIBRARIES);
});

test.run();
