import path from 'node:path';
import { arrowsOf, type Code, isFolder, packageOf, partOf } from './code.ts';
import { findCycles, graphOf } from './find-cycles.ts';
import { findImpurities } from './find-impurities.ts';
import { findMapFaults, headerOf } from './room-headers.ts';

/** What rooms may import, by room: the names of other rooms, with a space between. */
export type Permissions = Readonly<Record<string, string>>;

/** A rule of the architecture. */
export interface Check {
  name: string;
  /** What holds when nothing is found, as a sentence. */
  description: string;
  find(code: Code, permissions: Permissions): string[];
}

const MAX_FUNCTION_LINES = 60;
const MAX_COMMENT_LINES = 2;

const MAX_LOOSE_FILES = { scripts: 2, gateway: 2, 'scripts/core': 0, 'gateway/core': 1 };

/** What the gateway may import from the compiler. */
const SHARED = ['scripts/core/format', 'scripts/core/diff', 'scripts/core/lib', 'scripts/shared'];

/** What they load is bundled when the code is compiled, so it may be a development dependency. */
const BUNDLED = ['gateway/parts/site/islands'];

/** Where counts are kept, and where those who count have names of the type `CounterName`. */
const COUNTERS = [
  'gateway/core/store',
  'gateway/core/plans',
  'gateway/core/access',
  'gateway/shared/allowances',
  'gateway/parts/outages',
  'gateway/parts/redis',
  'gateway/parts/backup',
];
/** Where names are made, and where those of version 0.1.0 are replaced. */
const COUNTER_NAMES = ['gateway/core/plans/account.ts', 'gateway/parts/people/accounts/name-old-counters.ts'];

/** Every rule. */
export const CHECKS: readonly Check[] = [
  {
    name: 'rooms',
    description: 'the table lists every room of the core and nothing else',
    find: ({ rooms }, permissions) => [
      ...rooms
        .filter((room) => isCore(room) && !(room in permissions))
        .map((room) => `${room} is not in the table`),
      ...Object.keys(permissions)
        .filter((room) => !rooms.includes(room))
        .map((room) => `the table has ${room}, which does not exist`),
    ],
  },
  {
    name: 'imports',
    description: 'a room of the core imports only the rooms that the table lists for it',
    find: (code, permissions) =>
      arrowsOf(code)
        .filter(({ from, to }) => isCore(from) && !listOf(permissions[from]).includes(to))
        .map(
          ({ file, line, from, to }) => `${file}:${line} imports ${to}, which the table lacks for ${from}`,
        ),
  },
  {
    name: 'permissions',
    description: 'the table lists no room that is not imported',
    find(code, permissions) {
      const used = new Set(arrowsOf(code).map(({ from, to }) => `${from} → ${to}`));
      return Object.entries(permissions).flatMap(([from, text]) =>
        listOf(text)
          .filter((to) => !used.has(`${from} → ${to}`))
          .map((to) => `the table lists ${to} for ${from}, which does not import it`),
      );
    },
  },
  {
    name: 'order',
    description: 'the table lists a room below all rooms that it imports',
    find(_, permissions) {
      const order = Object.keys(permissions);
      return order.flatMap((room, at) =>
        listOf(permissions[room])
          .filter((name) => order.indexOf(name) > at)
          .map((name) => `the table lists ${room} above ${name}, which it imports`),
      );
    },
  },
  {
    name: 'room-cycles',
    description: 'no cycle of imports between rooms, except by doors, which import at first use',
    find: (code) =>
      describeCycles(
        arrowsOf(code).flatMap(({ file, from, to }) =>
          file.endsWith('/door.ts') ? [] : [[from, to] as const],
        ),
      ),
  },
  {
    name: 'file-cycles',
    description: 'no cycle of imports between files, type imports included',
    find: ({ sources }) =>
      describeCycles(
        [...sources].flatMap(([file, { imports }]) => imports.map(({ target }) => [file, target] as const)),
      ),
  },
  {
    name: 'compiler-alone',
    description: 'the compiler imports nothing from the gateway',
    find: (code) =>
      describeArrows(code, (from, to) => from.startsWith('scripts/') && to.startsWith('gateway/')),
  },
  {
    name: 'shared-code',
    description: `the gateway imports from the compiler only ${SHARED.join(', ')}`,
    find: (code) =>
      describeArrows(
        code,
        (from, to) => from.startsWith('gateway/') && to.startsWith('scripts/') && !isIn(to, SHARED),
      ),
  },
  {
    name: 'parts',
    description: 'nothing imports a part, except that part, and doors.ts its door',
    find: ({ sources }) =>
      [...sources].flatMap(([file, { imports }]) =>
        imports
          .filter(({ target }) => partOf(target) !== undefined && partOf(target) !== partOf(file))
          .filter(({ target }) => !(/^\w+\/doors\.ts$/.test(file) && target.endsWith('/door.ts')))
          .map(({ target, line }) => `${file}:${line} imports ${target}`),
      ),
  },
  {
    name: 'pure-rooms',
    description:
      'the pure rooms, and all that they load, use no disk, clock, random number, worker or process',
    find: findImpurities,
  },
  {
    name: 'printing',
    description: 'only commands print and end the process',
    find: (code) =>
      describeOutputs(code, /^(process|console)/, (file) => /(\/commands\/|\/cli\.ts$)/.test(file)),
  },
  {
    name: 'counter-names',
    description: 'requests are counted only by names that `counterNameOf` and its like return',
    find: ({ sources }) =>
      [...sources].flatMap(([file, { counted }]) =>
        counted
          .filter(({ by }) => !isCounterName(file, by))
          .map(({ by, line }) => `${file}:${line} counts by ${by}, expected counterNameOf(…)`),
      ),
  },
  {
    name: 'sockets',
    description: 'only wire/, guard/ and fast-wire/ write to sockets',
    find: (code) =>
      describeOutputs(code, /^socket/, (file) =>
        isIn(file, ['gateway/core/wire', 'gateway/parts/guard', 'gateway/parts/fast-wire']),
      ),
  },
  {
    name: 'loose-files',
    description: 'few files lie beside the rooms',
    find: ({ rooms }) =>
      Object.entries(MAX_LOOSE_FILES).flatMap(([top, most]) => {
        const loose = rooms.filter((room) => path.posix.dirname(room) === top && !isFolder(room));
        return loose.length > most
          ? [`${top}/ has ${loose.length} files beside its rooms, at most ${most}: ${loose.join(', ')}`]
          : [];
      }),
  },
  {
    name: 'headers',
    description: 'every room has a README.md: its path as the title, then its purpose in one sentence',
    find: (code) =>
      code.rooms
        .filter((room) => isFolder(room) && headerOf(code, room) === undefined)
        .map((room) => `${room}/README.md does not begin with "# ${room}", an empty line and a sentence`),
  },
  {
    name: 'map',
    description: 'docs/ARCHITECTURE.md lists every room with its sentence, and nothing else',
    find: findMapFaults,
  },
  {
    name: 'function-length',
    description: `no function has more than ${MAX_FUNCTION_LINES} lines`,
    find: (code) => describeLong(code, 'functions', MAX_FUNCTION_LINES),
  },
  {
    name: 'comment-length',
    description: `no comment except doc comments has more than ${MAX_COMMENT_LINES} lines`,
    find: (code) => describeLong(code, 'comments', MAX_COMMENT_LINES),
  },
  {
    name: 'packages',
    description: 'the packages that sources load are the dependencies of package.json',
    find: findPackageFaults,
  },
];

/** Whether a room is of a core. The files beside the cores may import what they like. */
function isCore(room: string): boolean {
  return room.split('/')[1] === 'core';
}

function listOf(text = ''): string[] {
  return text.split(' ').filter((name) => name !== '');
}

/** Whether a file is one of some files, or in one of some rooms. */
function isIn(file: string, places: readonly string[]): boolean {
  return places.some((place) => file === place || file.startsWith(`${place}/`));
}

/** Whether something that a file counts by was named by `counterNameOf`, `counterNameFor` or `counterNameOfKey`, or is nobody. */
function isCounterName(file: string, by: string): boolean {
  if (COUNTER_NAMES.includes(file) || by === "''") return true;
  if (by.endsWith(' as CounterName')) return false;
  return isIn(file, COUNTERS) || /^counterName(Of|For|OfKey)\(/.test(by);
}

function describeCycles(arrows: Iterable<readonly [string, string]>): string[] {
  return findCycles(graphOf(arrows)).map((cycle) => cycle.join(' → '));
}

function describeArrows(code: Code, isForbidden: (from: string, to: string) => boolean): string[] {
  return arrowsOf(code)
    .filter(({ file, target }) => isForbidden(file, target))
    .map(({ file, line, target }) => `${file}:${line} imports ${target}`);
}

/** Describes the outputs that match a pattern, in files that may not have any. */
function describeOutputs({ sources }: Code, pattern: RegExp, isFree: (file: string) => boolean): string[] {
  return [...sources]
    .filter(([file]) => !isFree(file))
    .flatMap(([file, { outputs }]) =>
      outputs
        .filter(({ name }) => pattern.test(name))
        .map(({ name, line }) => `${file}:${line} uses ${name}`),
    );
}

function describeLong({ sources }: Code, kind: 'functions' | 'comments', most: number): string[] {
  return [...sources].flatMap(([file, found]) =>
    found[kind]
      .filter(({ lines }) => lines > most)
      .map(({ name, line, lines }) => `${file}:${line} ${name} has ${lines} lines, at most ${most}`),
  );
}

function findPackageFaults({ sources, texts }: Code): string[] {
  const listed = JSON.parse(texts.get('package.json') ?? '{}') as Record<string, Record<string, string>>;
  const dependencies = { ...listed.dependencies, ...listed.optionalDependencies };
  const loaded = [...sources].flatMap(([file, { imports }]) =>
    imports
      .filter(({ isType }) => !isType)
      .flatMap(({ target, line }) => ({ name: packageOf(target), file, at: `${file}:${line}` })),
  );
  const used = new Set(loaded.map(({ name }) => name));
  return [
    ...Object.keys(dependencies)
      .filter((name) => !used.has(name))
      .map((name) => `package.json depends on ${name}, which no source loads`),
    ...loaded
      .filter(({ name, file }) => name !== undefined && !(name in dependencies) && !isIn(file, BUNDLED))
      .map(({ name, at }) => `${at} loads ${name}, which is not a dependency in package.json`),
  ];
}
