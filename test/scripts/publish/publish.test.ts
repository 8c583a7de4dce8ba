import { readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyDist } from '../../../scripts/commands/verify.ts';
import { readIndex } from '../../../scripts/dist/read-dist.ts';
import { BULK_FORMATS, type Index, TABLE_FORMATS } from '../../../scripts/format/dist-format.ts';
import { type Publication, type PublishOptions, publish } from '../../../scripts/publish/publish.ts';
import { openFolder, type Target } from '../../../scripts/publish/targets.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { SILENT } from '../../support/silent.ts';

/** A time at which all builds of the game are released except the last, 2.0. */
const NOW = Date.parse('2026-06-01T12:00:00Z');

const DAY_MS = 86_400_000;

interface Context {
  dist: string;
  folder: string;
  /** Publishes dist/ to the folder, or another target. */
  send(options?: Partial<PublishOptions> & { target?: Target }): Promise<Publication>;
  /** The files of a folder, sorted. */
  list(folder: string): Promise<string[]>;
}

function withBuilt(use: (context: Context) => Promise<void>): () => Promise<void> {
  return () =>
    withFolder({}, async (root) => {
      const dist = path.join(root, 'dist');
      const folder = path.join(root, 'target');
      await buildGames(OVER_TIME, dist);
      await use({
        dist,
        folder,
        send: ({ target = openFolder(folder), ...options } = {}) =>
          publish(target, { dist, now: NOW, ...options }, SILENT),
        async list(of) {
          const entries = await readdir(of, { recursive: true, withFileTypes: true }).catch(() => []);
          const files = entries.filter((entry) => entry.isFile());
          return files.map(({ parentPath, name }) => path.relative(of, path.join(parentPath, name))).sort();
        },
      });
    });
}

/** Why a publication fails. */
const failureOf = (publication: Promise<Publication>) =>
  publication.then(
    () => '',
    ({ message }: Error) => message,
  );

const publishing = suite('publish');

publishing(
  'copies all of dist/ to a folder, byte for byte, and sends nothing the second time',
  withBuilt(async ({ dist, folder, send, list }) => {
    const { files, sent, isNewIndex } = await send();
    assert.equal(await list(folder), await list(dist));
    assert.equal([files.length, isNewIndex], [(await list(dist)).length - 1, true]);
    assert.is(sent.length, files.length);
    for (const file of await list(dist))
      assert.ok((await readFile(path.join(folder, file))).equals(await readFile(path.join(dist, file))));
    const again = await send();
    assert.equal([again.sent, again.removed, again.isNewIndex], [[], [], false]);
    // On another disk.
    await rename(path.join(folder, 'saga'), `${folder}-2`);
    await symlink(`${folder}-2`, path.join(folder, 'saga'));
    assert.equal((await send()).sent, []);
  }),
);

publishing(
  'sends files that are missing or incomplete, and with verify damaged ones, and no others',
  withBuilt(async ({ dist, folder, send }) => {
    const { files } = await send();
    const [missing = '', short = '', damaged = ''] = files.map(({ file }) => file);
    await rm(path.join(folder, missing));
    await writeFile(path.join(folder, short), 'x');
    const whole = await readFile(path.join(dist, damaged));
    await writeFile(path.join(folder, damaged), Buffer.alloc(whole.length, 'x'));
    const sentOf = async (verify: boolean) => (await send({ verify })).sent.map(({ file }) => file).sort();
    assert.equal(await sentOf(false), [missing, short].sort());
    assert.equal(await sentOf(true), [damaged]);
    assert.ok((await readFile(path.join(folder, damaged))).equals(whole));
    assert.equal(await sentOf(true), []);
  }),
);

publishing(
  'sends the index last, and continues where it stopped',
  withBuilt(async ({ folder, send, list }) => {
    const written: string[] = [];
    const target = openFolder(folder);
    let maxWrites = 10;
    const write = target.write.bind(target);
    target.write = async (file, content, headers) => {
      if (written.length === maxWrites) throw new Error('the connection was lost');
      written.push(file);
      await write(file, content, headers);
    };
    assert.is(await failureOf(send({ target })), 'the connection was lost');
    assert.not.ok((await list(folder)).includes('index.json'));
    maxWrites = Number.POSITIVE_INFINITY;
    const { files, sent } = await send({ target });
    assert.is(sent.length, files.length - 10);
    assert.equal([written.length, written.slice(-1)], [files.length + 1, ['index.json']]);
  }),
);

publishing(
  'does not publish a damaged file or an index that leads to one',
  withBuilt(async ({ dist, folder, send, list }) => {
    const [file = ''] = (await list(dist)).filter((name) => name.includes('/characters.'));
    const bytes = await readFile(path.join(dist, file));
    bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
    await writeFile(path.join(dist, file), bytes);
    const [fault] = (await send()).faults;
    assert.match(fault?.message ?? '', new RegExp(`${path.basename(file)} is missing or damaged: delete it`));
    assert.not.ok((await list(folder)).includes(file));
    assert.equal(((await readIndex(folder)) as Index).games, []);
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
    // A game of another dist/.
    const other = `other/snapshot.${'0'.repeat(32)}.json`;
    await writeFiles(folder, { [other]: {} });
    await utimes(path.join(folder, other), 0, 0);
    for (const days of [0, 2]) await send({ snapshots: true, prune: true, now: NOW + days * DAY_MS });
    assert.ok((await list(folder)).includes(other));
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

    const defaults = { dist, snapshots: false, prune: false, verify: false, now: NOW };
    const all = await publish(openFolder(path.join(root, 'all')), defaults, SILENT);
    assert.is(all.sent.length, there);
    assert.equal((await publish(openFolder(path.join(root, 'all')), defaults, SILENT)).sent, []);

    const cdn = openFolder(path.join(root, 'cdn'));
    const { sent } = await publish(cdn, { ...defaults, snapshots: true }, SILENT);
    const kindOf = (file: string) => file.replace(/^saga\/|\.[0-9a-f]{32}/g, '');
    for (const { file } of sent)
      assert.not.match((await readFile(path.join(root, 'cdn', file))).toString('latin1'), /hidden one/);
    const ofEach = TABLE_FORMATS.flatMap((format) => [`bulk.${format}.zip`, `characters.${format}`]);
    const ofBuild = ['snapshot.json', 'bulk.sqlite', ...ofEach];
    const shared = TABLE_FORMATS.map((format) => `dataset.pull_planner.${format}`);
    assert.equal(sent.map(({ file }) => kindOf(file)).sort(), [...ofBuild, ...ofBuild, ...shared].sort());
    assert.equal((await publish(cdn, { ...defaults, snapshots: true }, SILENT)).sent, []);

    const broken = (await readdir(path.join(dist, 'saga'))).filter((file) => file.endsWith('.sqlite.br'));
    await writeFile(path.join(dist, 'saga', broken[0] ?? ''), 'x');
    assert.match((await verifyDist(dist, index)).faults.join(), `${broken[0]} has 1 bytes`);
  }),
);

/** Builds another state of the game. */
async function rebuild(dist: string, title: string, files: Files = OVER_TIME): Promise<void> {
  await rm(dist, { recursive: true });
  await buildGames({ ...files, 'saga/game.json': { title } }, dist);
}

publishing(
  'prunes files that lost their name a day ago, however old they are, and none that it did not send',
  withBuilt(async ({ dist, folder, send, list }) => {
    await send();
    for (const file of await list(folder)) await utimes(path.join(folder, file), 0, 0);
    await writeFile(path.join(folder, 'saga', 'mine.txt'), 'x');
    await rebuild(dist, 'Saga II');
    assert.equal((await send({ prune: true })).removed, []);
    assert.equal((await send({ now: NOW + 2 * DAY_MS })).removed, []);
    await send({ prune: true, now: NOW + DAY_MS + 1 });
    assert.equal(await list(folder), [...(await list(dist)), 'saga/mine.txt', 'unnamed.txt'].sort());
  }),
);

publishing(
  'does not take back released builds unless it is told to',
  withBuilt(async ({ dist, folder, send, list }) => {
    await send();
    const withoutOne = Object.fromEntries(
      Object.entries(OVER_TIME).filter(([file]) => !file.startsWith('saga/1.3/')),
    );
    await rebuild(dist, 'Saga', withoutOne);
    const { faults, isNewIndex } = await send();
    assert.is(isNewIndex, false);
    assert.match(String(faults), /saga stays as it is: 1 released build would vanish \(1\.3.*--allow-older$/);
    // Nor if what is published cannot be read.
    const [manifest = ''] = (await list(folder)).filter((file) => file.includes('/manifest.'));
    await writeFile(path.join(folder, manifest), '{}');
    assert.match(
      String((await send()).faults),
      /saga stays as it is: saga\/manifest\.\w+\.json is missing or damaged there/,
    );
    assert.ok((await send({ allowOlder: true })).isNewIndex);
    await writeFile(path.join(folder, 'index.json'), '<html>');
    assert.match(await failureOf(send()), /target\/index\.json is not a readable index/);
    assert.ok((await send({ allowOlder: true })).isNewIndex);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file');
    assert.match(await failureOf(send()), /^cannot publish to \S+target: .*E\w+.*$/);
  }),
);

publishing(
  'keeps what others publish meanwhile',
  withBuilt(async ({ dist, folder, send }) => {
    /** Publishes from another dist/ before this publication writes its first file. Files are written in parallel. */
    const sendAfter = (others: () => Promise<void>) => {
      const target = openFolder(folder);
      const write = target.write.bind(target);
      let published: Promise<unknown> | undefined;
      target.write = async (...args) => {
        published ??= others().then(() => send({ dist: `${dist}-2` }));
        await published;
        await write(...args);
      };
      return send({ target });
    };
    await sendAfter(() => buildGames(inFolder('other', gameFiles()), `${dist}-2`));
    const { games } = (await readIndex(folder)) as Index;
    assert.is(String(games.map(({ slug }) => slug)), 'other,saga');
    // A newer state of its own game, which it has read before.
    await rebuild(dist, 'Saga II');
    assert.match(
      await failureOf(sendAfter(() => rebuild(`${dist}-2`, 'Saga III'))),
      'another publication replaced saga meanwhile',
    );
    const [here, there] = [await readIndex(`${dist}-2`), await readIndex(folder)];
    assert.equal(there?.games.at(-1), here?.games[0]);
  }),
);

publishing.run();
