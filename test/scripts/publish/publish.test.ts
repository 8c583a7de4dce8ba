import type { KeyObject } from 'node:crypto';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readIndex } from '../../../scripts/dist/read-dist.ts';
import { verifyDist } from '../../../scripts/publish/verify-dist.ts';
import {
  BULK_FORMATS,
  TABLE_FORMATS,
  type FileRef,
  FORMAT,
  type Index,
} from '../../../scripts/format/dist-format.ts';
import { findSerialFault, MAX_SERIAL_STEP, PUBLISHED_FILE } from '../../../scripts/publication/published.ts';
import {
  createSigningKeys,
  isSignedBy,
  readPrivateKey,
  readPublicKey,
} from '../../../scripts/publication/signature.ts';
import { FolderTarget } from '../../../scripts/publish/folder-target.ts';
import { type Published, publish } from '../../../scripts/publish/publish.ts';
import type { Target } from '../../../scripts/publish/target.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { type Files, withFolder } from '../../support/fixtures.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { SILENT } from '../../support/silent.ts';

/** A time at which all builds of the game are released except the last, 2.0. */
const NOW = Date.parse('2026-06-01T12:00:00Z');

interface Context {
  dist: string;
  folder: string;
  /** Publishes dist/ to the folder, or another target. */
  send(options?: {
    snapshots?: boolean;
    prune?: boolean;
    verify?: boolean;
    dryRun?: boolean;
    now?: number;
    target?: Target;
    signingKey?: KeyObject;
    serial?: number;
    supersede?: number;
    allowOlder?: boolean;
  }): Promise<Published>;
  /** The progress that was shown. */
  steps: string[];
  /** The files of a folder, sorted. */
  list(folder: string): Promise<string[]>;
}

function withBuilt(use: (context: Context) => Promise<void>): () => Promise<void> {
  return () =>
    withFolder({}, async (root) => {
      const dist = path.join(root, 'dist');
      const folder = path.join(root, 'target');
      await buildGames(OVER_TIME, dist);
      const steps: string[] = [];
      const say = (text: string) => void steps.push(text);
      const progress = { ...SILENT, step: say, done: say };
      const defaults = { dist, snapshots: false, prune: false, verify: false, dryRun: false, now: NOW };
      await use({
        dist,
        folder,
        steps,
        send: ({ target = new FolderTarget(folder), ...options } = {}) =>
          publish(target, { ...defaults, ...options }, progress),
        async list(of) {
          const entries = await readdir(of, { recursive: true, withFileTypes: true }).catch(() => []);
          const files = entries.filter((entry) => entry.isFile());
          return files.map(({ parentPath, name }) => path.relative(of, path.join(parentPath, name))).sort();
        },
      });
    });
}

const publishing = suite('publish');

publishing(
  'copies all of dist/ to a folder, byte for byte, and sends nothing the second time',
  withBuilt(async ({ dist, folder, send, list, steps }) => {
    const { files, sent, isNewIndex } = await send();
    assert.equal(await list(folder), [...(await list(dist)), 'published.json'].sort());
    assert.equal([files.length, isNewIndex], [(await list(dist)).length - 1, true]);
    assert.is(sent.length, files.length);
    for (const file of await list(dist))
      assert.ok((await readFile(path.join(folder, file))).equals(await readFile(path.join(dist, file))));
    assert.match(steps.at(-1) ?? '', new RegExp(`^█{24} ${files.length} of ${files.length} files, `));
    const again = await send();
    assert.equal([again.sent, again.removed, again.isNewIndex], [[], [], false]);
  }),
);

publishing(
  'sends files that are missing or incomplete, and no others',
  withBuilt(async ({ folder, send }) => {
    const { files } = await send();
    const [missing, short] = files.map(({ file }) => file);
    await rm(path.join(folder, missing ?? ''));
    await writeFile(path.join(folder, short ?? ''), 'x');
    const { sent } = await send();
    assert.equal(sent.map(({ file }) => file).sort(), [missing, short].sort());
  }),
);

publishing(
  'with verify finds a damaged file of the right size',
  withBuilt(async ({ folder, send }) => {
    const { files } = await send();
    const [{ file }] = files as [FileRef];
    const whole = await readFile(path.join(folder, file));
    await writeFile(path.join(folder, file), Buffer.alloc(whole.length, 'x'));
    assert.equal((await send()).sent, []);
    const sentOf = async (dryRun: boolean) =>
      (await send({ verify: true, dryRun })).sent.map((ref) => ref.file);
    assert.equal(await sentOf(true), [file]);
    assert.equal(await sentOf(false), [file]);
    assert.ok((await readFile(path.join(folder, file))).equals(whole));
    assert.equal(await sentOf(false), []);
  }),
);

publishing(
  'sends the index last, and continues where it stopped',
  withBuilt(async ({ folder, send, list }) => {
    const written: string[] = [];
    const target = new FolderTarget(folder);
    let maxWrites = 10;
    const write = target.write.bind(target);
    target.write = async (file, content) => {
      if (written.length === maxWrites) throw new Error('the connection was lost');
      written.push(file);
      await write(file, content);
    };
    await send({ target }).then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'the connection was lost'),
    );
    assert.not.ok((await list(folder)).includes('index.json'));
    maxWrites = Number.POSITIVE_INFINITY;
    const { files, sent } = await send({ target });
    assert.is(sent.length, files.length - 10);
    assert.equal([written.length, written.slice(-2)], [files.length + 2, ['index.json', 'published.json']]);
  }),
);

publishing(
  'does not publish a damaged file or an index that leads to one',
  withBuilt(async ({ dist, folder, send, list }) => {
    const [file = ''] = (await list(dist)).filter((name) => name.includes('/characters.'));
    const bytes = await readFile(path.join(dist, file));
    bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
    await writeFile(path.join(dist, file), bytes);
    await send().then(
      () => assert.unreachable(),
      (error: Error) =>
        assert.match(error.message, new RegExp(`${path.basename(file)} is missing or damaged`)),
    );
    const there = await list(folder);
    assert.equal([there.includes(file), there.includes('index.json')], [false, false]);
  }),
);

publishing(
  'sends a CDN the snapshots of released builds, and those of other builds after their release',
  withBuilt(async ({ folder, send, list }) => {
    const SNAPSHOT = /^saga\/snapshot\.[0-9a-f]{32}\.json$/;
    await send({ snapshots: true });
    const first = await list(folder);
    assert.is(first.length, 4);
    assert.equal(
      first.filter((file) => !SNAPSHOT.test(file)),
      [],
    );
    for (const file of first)
      assert.not.match(await readFile(path.join(folder, file), 'utf8'), /the hidden one/);
    const released = Date.parse('2026-07-01T00:00:00Z');
    assert.is((await send({ snapshots: true, now: released - 1 })).sent.length, 0);
    assert.is((await send({ snapshots: true, now: released })).sent.length, 1);
  }),
);

const IN_FORMATS: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/1.1/build.json': { released_at: '2026-02-01' },
  'saga/1.1/characters.json': [{ id: 'ann', name: 'Anna' }],
  'saga/2.0/build.json': { released_at: '2026-07-01' },
  'saga/2.0/characters.json': [{ id: 'ann', name: 'the hidden one' }],
};

publishing('sends builds in other formats, and a CDN the released ones, each collection once', () =>
  withFolder({}, async (root) => {
    const dist = path.join(root, 'dist');
    await buildGames(IN_FORMATS, dist, BULK_FORMATS);
    const index = (await readIndex(dist)) as Index;
    const { files, faults } = await verifyDist(dist, index);
    const there = (await readdir(path.join(dist, 'saga'))).length;
    assert.equal([files, faults], [there, []]);

    const defaults = { dist, snapshots: false, prune: false, verify: false, dryRun: false, now: NOW };
    const all = await publish(new FolderTarget(path.join(root, 'all')), defaults, SILENT);
    assert.is(all.sent.length, there);
    assert.equal((await publish(new FolderTarget(path.join(root, 'all')), defaults, SILENT)).sent, []);

    const cdn = new FolderTarget(path.join(root, 'cdn'));
    const { sent } = await publish(cdn, { ...defaults, snapshots: true }, SILENT);
    const kinds = new Map<string, number>();
    for (const { file } of sent) {
      const kind = file.replace(/^saga\/|\.[0-9a-f]{32}/g, '');
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      assert.not.match((await readFile(path.join(root, 'cdn', file))).toString('latin1'), /hidden one/);
    }
    const ofEach = (count: number, names: string[]) => names.map((name): [string, number] => [name, count]);
    assert.equal(
      [...kinds].sort(),
      [
        ...ofEach(2, [
          'snapshot.json',
          'bulk.sqlite',
          ...TABLE_FORMATS.map((format) => `bulk.${format}.zip`),
        ]),
        ...ofEach(
          2,
          TABLE_FORMATS.map((format) => `characters.${format}`),
        ),
        ...ofEach(
          1,
          TABLE_FORMATS.map((format) => `dataset.pull_planner.${format}`),
        ),
      ].sort(),
    );
    assert.equal((await publish(cdn, { ...defaults, snapshots: true }, SILENT)).sent, []);

    const broken = (await readdir(path.join(dist, 'saga'))).filter((file) => file.endsWith('.sqlite.br'));
    await writeFile(path.join(dist, 'saga', broken[0] ?? ''), 'x');
    assert.match((await verifyDist(dist, index)).faults.join(), `${broken[0]} has 1 bytes`);
  }),
);

publishing(
  'prunes files older than a day that the index no longer names, and none that it did not send',
  withBuilt(async ({ dist, folder, send, list }) => {
    await send();
    const before = await list(folder);
    await writeFile(path.join(folder, 'saga', 'mine.txt'), 'x');
    await rm(dist, { recursive: true });
    await buildGames({ ...OVER_TIME, 'saga/game.json': { title: 'Saga II' } }, dist);
    const now = Date.now();
    assert.equal((await send({ prune: true, now })).removed, []);
    const old = new Date(now - 86_400_001);
    for (const file of await list(folder)) await utimes(path.join(folder, file), old, old);
    assert.equal((await send({ now })).removed, []);
    const planned = await send({ prune: true, dryRun: true, now });
    assert.ok(planned.removed.length > 0);
    const { removed } = await send({ prune: true, now });
    assert.equal(removed.sort(), planned.removed.sort());
    assert.equal(
      removed.filter((file) => !before.includes(file)),
      [],
    );
    assert.equal(await list(folder), [...(await list(dist)), 'published.json', 'saga/mine.txt'].sort());
  }),
);

const readPublished = async (folder: string) =>
  JSON.parse(await readFile(path.join(folder, 'published.json'), 'utf8')) as Record<string, unknown>;

/** Builds another state of the game. */
async function rebuild(dist: string, title: string, files: Files = OVER_TIME): Promise<void> {
  await rm(dist, { recursive: true });
  await buildGames({ ...files, 'saga/game.json': { title } }, dist);
}

publishing(
  'gives each other index the next serial, and the same index none',
  withBuilt(async ({ dist, folder, send }) => {
    assert.is((await send()).serial, 1);
    assert.is((await send()).serial, undefined);
    await rebuild(dist, 'Saga II');
    assert.is((await send({ dryRun: true })).serial, 2);
    assert.is((await send()).serial, 2);
    const index = await readFile(path.join(folder, 'index.json'), 'utf8');
    assert.equal(await readPublished(folder), { format: FORMAT, serial: 2, index });
    assert.is((await send({ serial: 2 })).serial, undefined);
    assert.is((await send({ serial: 9 })).serial, 9);
  }),
);

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ message }: Error) => message,
  );

publishing(
  'leaves a serial that is too high for one that all readers follow',
  withBuilt(async ({ folder, send }) => {
    const refused = (options: { serial?: number; supersede?: number } = {}) => reasonOf(send(options));
    const highest = Number.MAX_SAFE_INTEGER;
    await send({ serial: 41 });
    assert.match(
      await refused({ serial: highest }),
      /gateways follow steps of at most 1000000; pass a lower one/,
    );
    assert.match(await refused({ serial: 42 + MAX_SERIAL_STEP }), /has serial 41, and --serial is 1000042/);
    const published = await readPublished(folder);
    await writeFile(path.join(folder, PUBLISHED_FILE), JSON.stringify({ ...published, serial: highest }));
    assert.match(await refused(), /find out who wrote it, then publish with --supersede 9007199254740991/);
    assert.match(await refused({ supersede: highest, serial: highest }), /from 1 to below --supersede/);
    assert.is((await send({ supersede: highest, serial: 42 })).serial, 42);
    assert.is((await send({ supersede: highest, serial: 42 })).serial, undefined, 'again');
    const next = await send({ serial: 43 });
    assert.equal(
      [next.serial, (await readPublished(folder)).supersedes],
      [43, highest],
      'for readers that come later',
    );
    const state = { serial: 43, supersedes: highest };
    const faults = [42, 43, 44, highest].map((followed) => findSerialFault(state, followed));
    assert.equal(faults, [undefined, undefined, 'older', undefined]);
    assert.is(findSerialFault({ serial: highest }, 43), 'jump', 'not back to the high one');
  }),
);

publishing(
  'keeps serials below the one that they supersede, so that no old copy is followed again',
  withBuilt(async ({ dist, folder, send }) => {
    await send({ serial: 9 });
    assert.match(
      await reasonOf(send({ supersede: 9, serial: 7 })),
      /--serial 7 is less than 1000000 below --supersede 9: continue after the present serial instead/,
    );
    const supersedes = 8 + MAX_SERIAL_STEP;
    await send({ serial: supersedes });
    assert.is((await send({ supersede: supersedes, serial: 8 })).serial, 8);
    await rebuild(dist, 'Saga II');
    assert.match(
      await reasonOf(send({ serial: supersedes })),
      /supersedes serial 1000008, and --serial is 1000008/,
    );
    const last = { ...(await readPublished(folder)), serial: supersedes - 1 };
    await writeFile(path.join(folder, PUBLISHED_FILE), JSON.stringify(last));
    assert.match(await reasonOf(send()), /pass a lower one, or --supersede 2000008/);
    assert.is((await send({ supersede: supersedes + MAX_SERIAL_STEP })).serial, supersedes);
  }),
);

publishing(
  'signs with a key, and never again publishes without one',
  withBuilt(async ({ folder, send }) => {
    await send();
    const { privateKey, publicKey } = createSigningKeys();
    const signingKey = readPrivateKey(privateKey) as KeyObject;
    assert.is((await send({ signingKey })).serial, 2);
    assert.is((await send({ signingKey })).serial, undefined);
    const { format, serial, index, signature } = await readPublished(folder);
    const key = readPublicKey(publicKey) as KeyObject;
    assert.ok(isSignedBy(`${format}\n${serial}\n${index}`, String(signature), key));
    assert.not.ok(isSignedBy(`${format}\n${Number(serial) + 1}\n${index}`, String(signature), key));
    await send().then(
      () => assert.unreachable(),
      ({ message }: Error) => assert.match(message, 'published.json is signed: pass --signing-key'),
    );
  }),
);

publishing(
  'does not take back released builds unless it is told to',
  withBuilt(async ({ dist, send }) => {
    await send();
    const withoutOne = Object.fromEntries(
      Object.entries(OVER_TIME).filter(([file]) => !file.startsWith('saga/1.3/')),
    );
    await rebuild(dist, 'Saga', withoutOne);
    await send().then(
      () => assert.unreachable(),
      ({ message }: Error) =>
        assert.match(message, /^1 released build of \S+ would vanish \(saga 1\.3\): .*pass --allow-older$/),
    );
    assert.is((await send({ allowOlder: true })).serial, 2);
  }),
);

publishing(
  'warns of formats that are published and would vanish',
  withBuilt(async ({ dist, send, steps }) => {
    await rm(dist, { recursive: true });
    await buildGames(OVER_TIME, dist, ['csv', 'sqlite']);
    await send();
    assert.not.match(steps.join('\n'), 'warning');
    await rebuild(dist, 'Saga');
    await send();
    assert.match(
      steps.join('\n'),
      /warning: \S+ has \d builds in formats that this dist\/ has not \(saga \S+ as csv, sqlite; .*build with --formats/,
    );
  }),
);

publishing(
  'reports in one line that a folder cannot be written',
  withBuilt(async ({ folder, send }) => {
    await writeFile(folder, 'a file');
    await send().then(
      () => assert.unreachable(),
      ({ message }: Error) => assert.match(message, /^cannot publish to \S+target: .*E\w+.*$/),
    );
  }),
);

publishing(
  'with a dry run reports what it would do and does nothing',
  withBuilt(async ({ folder, send, list }) => {
    const { files, sent, isNewIndex } = await send({ dryRun: true });
    assert.equal([sent.length, isNewIndex, await list(folder)], [files.length, true, []]);
  }),
);

publishing.run();
