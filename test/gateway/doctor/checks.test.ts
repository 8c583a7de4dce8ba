import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import type { Machine, Settings } from '../../../gateway/doctor/check.ts';
import { CHECKS, diagnose, ofPart } from '../../../gateway/doctor/checks.ts';
import { readersCheck } from '../../../gateway/doctor/machine-checks.ts';
import { THIS_MACHINE } from '../../../gateway/doctor/this-machine.ts';
import { peopleChecks } from '../../../gateway/people/commands/checks.ts';
import type { Fault } from '../../../gateway/facts/checks.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { readPage, readTable } from '../../support/docs/pages.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

interface Context {
  folder: string;
  settings: Settings;
  people: People;
  machine: Machine;
  /** A port that is in use. */
  taken?: Server | undefined;
  /** Serves dist/. */
  files?: FileServer | undefined;
}

/** Where the checks about people look. */
type People = NonNullable<Parameters<typeof peopleChecks>[0]>;

const SECRET_KEY = Buffer.alloc(32, 1).toString('base64');
const checksOf = (people?: People) => [...CHECKS, ...peopleChecks(people).map(ofPart)];

const doctor = suite<Context>('the checks of the doctor');
doctor.before.each(async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'doctor-'));
  await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
  const places = {
    dist: path.join(folder, 'dist'),
    cache: path.join(folder, 'cache'),
    store: path.join(folder, 'store'),
  };
  context.folder = folder;
  context.settings = {
    ...places,
    ...{
      host: '127.0.0.1',
      port: 0,
      metricsHost: '127.0.0.1',
      metricsPort: 0,
      s3Endpoint: undefined,
      workers: 1,
    },
    ...{ publicUrl: 'https://api.example.org', trustsProxies: true, isReachable: true, isStrict: true },
    readRest: async () => {},
    openStore: () => openSqliteStore(places.store),
  };
  const environment = { SMTP_URL: 'smtp://localhost', GATEWAY_SECRET_KEYS: SECRET_KEY };
  context.people = {
    env: () => environment,
    countSecrets: async () => ({ plain: 0, unreadable: 0, current: 0, older: 0 }),
    verifySmtp: async () => {},
  };
  context.machine = {
    ...THIS_MACHINE,
    ...{
      nodeVersion: '20.19.0',
      uid: 1000,
      cores: 4,
      maxOpenFiles: 65_536,
      words: ['serve'],
      temporaryFolder: folder,
    },
    now: () => Date.parse('2026-11-01T00:00:00Z'),
    freeBytes: async () => 1e12,
  };
});
doctor.after.each(async (context) => {
  const { folder, taken, files } = context;
  taken?.close();
  await files?.stop();
  Object.assign(context, { taken: undefined, files: undefined });
  await rm(folder, { recursive: true });
});

/** Runs all checks. @returns the faults, as `check level` */
async function find({ settings, machine, people }: Context): Promise<[string, Fault][]> {
  const found = await diagnose({ settings, machine }, checksOf(people));
  return found.flatMap(({ check, faults }) =>
    faults.map((fault): [string, Fault] => [`${check} ${fault.level}`, fault]),
  );
}

doctor('find nothing on a correct machine', async (context) => {
  assert.equal(await find(context), []);
});

doctor('are listed in running-it.md with what holds', async () => {
  const rows = readTable(await readPage('docs/operators/running-it.md'), '| what is checked |');
  assert.equal(
    rows.map(([name = '', description]) => [name.replaceAll('`', ''), description]),
    checksOf().map(({ name, description }) => [name, description]),
  );
});

const fail = (code: string) => async () => {
  throw Object.assign(new Error(`listen ${code}`), { code });
};

/** What is wrong, what the checks find, and how it is caused. */
const CASES: [string, string, (context: Context) => void | Promise<void>][] = [
  [
    'Node.js is too old',
    'node error',
    ({ machine }) => {
      machine.nodeVersion = '18.20.1';
    },
  ],
  [
    'settings do not fit together',
    'configuration error',
    ({ settings }) => {
      settings.readRest = () => Promise.reject(new Error('sign-up needs --public-url'));
    },
  ],
  [
    'it runs as root',
    'permissions warning',
    ({ machine }) => {
      machine.uid = 0;
    },
  ],
  [
    'a password is on the command line',
    'permissions warning',
    ({ machine }) => {
      machine.words = ['serve', '--store', 'redis://:hidden@redis:6379'];
    },
  ],
  [
    'the secret of links is on the command line',
    'permissions warning',
    ({ machine }) => {
      machine.words = ['serve', '--link-secret=hidden'];
    },
  ],
  [
    'the limit of open files is unknown',
    'limits not set',
    ({ machine }) => {
      machine.maxOpenFiles = undefined;
    },
  ],
  [
    'few files may be open',
    'limits warning',
    ({ machine }) => {
      machine.maxOpenFiles = 1024;
    },
  ],
  [
    'there are more workers than cores',
    'limits warning',
    ({ settings }) => {
      settings.workers = 8;
    },
  ],
  [
    'a folder cannot be written',
    'disk error',
    async ({ settings, folder }) => {
      settings.store = path.join(folder, 'a-file', 'store');
      await writeFile(path.join(folder, 'a-file'), '');
    },
  ],
  [
    'the space on a disk is unknown',
    'disk not set',
    ({ machine, folder }) => {
      machine.freeBytes = async (name) => (name === folder ? undefined : 1e12);
    },
  ],
  [
    'the temporary folder is full',
    'disk warning',
    ({ machine, folder }) => {
      machine.freeBytes = async (name) => (name === folder ? 1000 : 1e12);
    },
  ],
  [
    'others can read the data',
    'readers warning',
    async ({ folder, settings }) => {
      for (const each of [folder, settings.dist]) await chmod(each, 0o755);
    },
  ],
  [
    'a port is in use',
    'ports warning',
    async (context) => {
      context.taken = createServer().listen(0, '127.0.0.1');
      await once(context.taken, 'listening');
      context.settings.metricsPort = (context.taken.address() as AddressInfo).port;
    },
  ],
  [
    'both ports are the same',
    'ports error',
    ({ settings }) => {
      Object.assign(settings, { port: 3999, metricsPort: 3999, host: '127.0.0.1', metricsHost: '127.0.0.1' });
    },
  ],
  [
    'a port is not allowed',
    'ports error',
    ({ machine, settings }) => {
      settings.metricsPort = undefined;
      machine.tryListening = fail('EACCES');
    },
  ],
  [
    'the store cannot be opened',
    'store error',
    ({ settings }) => {
      settings.openStore = () => Promise.reject(new StoreError('cannot open the store'));
    },
  ],
  [
    'the store does not respond',
    'store error',
    ({ settings }) => {
      const { openStore } = settings;
      settings.openStore = async () => {
        const store = await openStore();
        if (store) store.ping = () => Promise.reject(new StoreError('away'));
        return store;
      };
    },
  ],
  [
    'the clock differs from that of Redis',
    'store warning',
    ({ settings, machine }) => {
      settings.store = 'redis://127.0.0.1:6379';
      const now = machine.now();
      settings.openStore = async () =>
        openSqliteStore(path.join(settings.cache, 'store'), { now: () => now - 60_000 });
    },
  ],
  [
    'there is no store yet',
    'store not set',
    ({ settings }) => {
      settings.openStore = async () => undefined;
    },
  ],
  [
    'there is no dist/',
    'dist error',
    ({ settings, folder }) => {
      settings.dist = path.join(folder, 'none');
    },
  ],
  [
    'a file of dist/ is damaged',
    'dist error',
    async ({ settings }) => {
      await writeFile(path.join(settings.dist, 'index.json'), '{"format":');
    },
  ],
  [
    'a dist/ elsewhere does not respond',
    'dist error',
    ({ settings }) => {
      settings.dist = 'http://127.0.0.1:9/dist';
    },
  ],
  [
    'only the index of a dist/ elsewhere was read',
    'dist not set',
    async (context) => {
      context.files = await startFileServer(context.settings.dist);
      context.settings.dist = context.files.address;
    },
  ],
  [
    'the clock is years behind',
    'dist error',
    ({ machine }) => {
      machine.now = () => 0;
    },
  ],
  [
    'the public address is unknown',
    'proxy warning',
    ({ settings }) => {
      Object.assign(settings, { publicUrl: undefined, trustsProxies: false });
    },
  ],
  [
    'the public address is unknown behind a proxy',
    'proxy error',
    ({ settings }) => {
      settings.publicUrl = undefined;
    },
  ],
  [
    'the strict rules are off',
    'proxy error',
    ({ settings }) => {
      settings.isStrict = false;
    },
  ],
  [
    'keys are sent unencrypted',
    'proxy warning',
    ({ settings }) => {
      settings.publicUrl = 'http://api.example.org';
    },
  ],
  [
    'no proxy is trusted',
    'proxy warning',
    ({ settings }) => {
      settings.trustsProxies = false;
    },
  ],
  [
    'there is no mail server',
    'mail warning',
    ({ people }) => {
      people.env = () => ({ GATEWAY_SECRET_KEYS: SECRET_KEY });
    },
  ],
  [
    'there is no mail server, and only this machine reaches the gateway',
    'mail not set',
    ({ settings, people }) => {
      people.env = () => ({ GATEWAY_SECRET_KEYS: SECRET_KEY });
      Object.assign(settings, { isStrict: false, isReachable: false });
    },
  ],
  [
    'only this machine reaches the gateway',
    'proxy not set',
    ({ settings }) => {
      Object.assign(settings, { isStrict: false, isReachable: false });
    },
  ],
  [
    'the secrets of webhooks are not encrypted, and only this machine reaches the gateway',
    'secrets not set',
    ({ settings, people }) => {
      people.env = () => ({ SMTP_URL: 'smtp://localhost' });
      Object.assign(settings, { isStrict: false, isReachable: false });
    },
  ],
  [
    'the secrets of webhooks cannot be read',
    'secrets not set',
    ({ people }) => {
      people.countSecrets = () => Promise.reject(new Error('not a key'));
    },
  ],
  [
    'the secrets of webhooks are not encrypted',
    'secrets warning',
    ({ people }) => {
      people.env = () => ({ SMTP_URL: 'smtp://localhost' });
    },
  ],
  [
    'some secrets of webhooks are not encrypted yet',
    'secrets warning',
    ({ people }) => {
      people.countSecrets = async () => ({ plain: 2, unreadable: 0, current: 0, older: 0 });
    },
  ],
  [
    'the key that encrypted secrets of webhooks is missing',
    'secrets warning',
    ({ people }) => {
      people.countSecrets = async () => ({ plain: 0, unreadable: 1, current: 0, older: 0 });
    },
  ],
  [
    'the mail server refuses',
    'mail error',
    ({ people }) => {
      people.verifySmtp = () => Promise.reject(new Error('535 authentication failed'));
    },
  ],
];

doctor('have a case below for each check, in which what it says does not hold', () => {
  const shown = new Set(
    CASES.filter(([, found]) => !found.endsWith('not set')).map(([, found]) => found.split(' ')[0]),
  );
  assert.equal(
    checksOf()
      .map(({ name }) => name)
      .filter((name) => !shown.has(name)),
    [],
  );
});

for (const [wrong, expected, cause] of CASES) {
  doctor(`report it if ${wrong}, and nothing else`, async (context) => {
    await cause(context);
    const found = await find(context);
    const names = found.map(([name]) => name);
    // What cannot be checked because of it is not set.
    assert.equal(
      names.filter((name) => name === expected || !name.endsWith('not set')),
      [expected],
    );
    const [, fault] = found[names.indexOf(expected)] as [string, Fault];
    assert.ok(fault.advice.length > 10);
    assert.not.match(JSON.stringify(found), /hidden/);
  });
}

doctor('check who can read the copy if dist/ is elsewhere', async ({ settings, machine }) => {
  settings.dist = 's3://games/dist';
  machine.canOthersRead = async (folder) => folder === path.resolve(settings.cache);
  const [found] = await diagnose({ settings, machine }, [readersCheck]);
  assert.is(found?.faults.length, 1);
});

doctor('report a check that throws, and continue', async ({ settings, machine }) => {
  const broken = { name: 'broken', description: 'any', find: () => Promise.reject(new Error('a bug')) };
  const found = await diagnose({ settings, machine }, [broken, ...CHECKS.slice(0, 1)]);
  assert.equal(
    found.map(({ check, faults }) => [check, faults.length]),
    [
      ['broken', 1],
      ['node', 0],
    ],
  );
});

doctor.run();
