import { appendFile, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesOf, type Index, type Manifest } from '../../../scripts/format/dist-format.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';

const FILES = {
  ...inFolder('data/alpha', gameFiles({ '1.1/build.json': { released_at: '2026-02-01' } })),
  ...inFolder('data/beta', gameFiles()),
};

function run(cwd: string, ...args: string[]): Promise<Outcome> {
  return runInProcess('gamedata', args, { cwd });
}

async function withBuilt(use: (cwd: string, manifests: Manifest[]) => Promise<void>): Promise<void> {
  await withFolder(FILES, async (cwd) => {
    assert.is((await run(cwd, 'build', '--formats', 'csv')).code, 0);
    const { games } = JSON.parse(await readFile(path.join(cwd, 'dist/index.json'), 'utf8')) as Index;
    const read = async (file: string) => JSON.parse(await readFile(path.join(cwd, 'dist', file), 'utf8'));
    await use(cwd, await Promise.all(games.map(({ manifest }) => read(manifest.file))));
  });
}

const verify = suite('gamedata verify');

verify('reports every file that is missing, incomplete or altered', async () => {
  await withBuilt(async (cwd, [alpha]) => {
    const whole = await run(cwd, 'verify');
    assert.match(whole.stdout, /^2 games, \d+ files, 0\.\d\d MB: no faults\n$/);

    const [first, second] = alpha?.builds ?? [];
    assert.ok(first && second);
    const at = (file: string) => path.join(cwd, 'dist', file);
    await rm(at(first.timeline.file));
    await appendFile(at(first.history.file), ' ');
    await writeFile(at(first.roster.file), 'x'.repeat(first.roster.bytes));
    await writeFile(at(second.snapshot.gzip.file), gzipSync('other').subarray(0, second.snapshot.gzip.bytes));
    const { code, stderr } = await run(cwd, 'verify');
    assert.is(code, 1);
    assert.match(stderr, `${first.timeline.file} is missing\n`);
    assert.match(
      stderr,
      `${first.history.file} has ${first.history.bytes + 1} bytes, expected ${first.history.bytes}\n`,
    );
    assert.match(stderr, `${first.roster.file} is damaged: its SHA-256 differs\n`);
    assert.match(stderr, second.snapshot.gzip.file);
    assert.match(stderr, /gamedata: \d faults in dist\/: delete the damaged files and run gamedata build\n$/);
  });
});

verify.run();

const prune = suite('gamedata prune');

async function filesIn(cwd: string): Promise<string[]> {
  const files = await readdir(path.join(cwd, 'dist'), { recursive: true });
  return files.filter((file) => /\.(json|csv|zip|tmp)/.test(file)).sort();
}

prune('removes the files that the index has not named for some days, and no others', async () => {
  await withBuilt(async (cwd, [alpha, beta]) => {
    const before = await filesIn(cwd);
    // Written long ago, but named until now.
    const year = new Date(Date.now() - 365 * 86_400_000);
    for (const file of before) await utimes(path.join(cwd, 'dist', file), year, year);
    await writeFiles(cwd, { 'data/alpha/1.1/characters.json': [{ id: 'ann', name: 'Anna' }] });
    assert.is((await run(cwd, 'build', '--formats', 'csv', '--amend', 'a name')).code, 0);
    assert.match((await run(cwd, 'prune')).stdout, /^0 files removed, /);
    const after = await filesIn(cwd);
    assert.equal(
      before.filter((file) => !after.includes(file)),
      [],
    );

    const unnamed = filesOf(alpha?.builds[1] as Manifest['builds'][number]).map(({ file }) => file);
    const week = new Date(Date.now() - 8 * 86_400_000);
    for (const file of unnamed) await utimes(path.join(cwd, 'dist', file), week, week);
    await writeFiles(cwd, {
      'dist/alpha/characters.0123456789abcdef0123456789abcdef.json.99.tmp': 'x',
      'dist/site/package.json': '{}',
    });
    await utimes(
      path.join(cwd, 'dist/alpha/characters.0123456789abcdef0123456789abcdef.json.99.tmp'),
      week,
      week,
    );
    await utimes(path.join(cwd, 'dist/site/package.json'), week, week);
    assert.match((await run(cwd, 'prune')).stdout, /^\d+ files removed, 0\.\d\d MB\n$/);
    assert.is((await run(cwd, 'verify')).code, 0);
    const left = await filesIn(cwd);
    assert.ok(left.includes('site/package.json'), 'what no build wrote is not ours');
    assert.equal(left.includes(alpha?.builds[1]?.snapshot.gzip.file ?? ''), false);
    assert.not.ok(left.some((file) => file.endsWith('.tmp')));
    for (const { file } of (beta?.builds ?? []).flatMap(filesOf)) assert.ok(left.includes(file), file);
  });
});

prune('removes nothing if a manifest is damaged: the files that it names must stay', async () => {
  await withBuilt(async (cwd) => {
    const before = await filesIn(cwd);
    const manifest = before.find((file) => file.startsWith('alpha/manifest')) as string;
    await writeFile(path.join(cwd, 'dist', manifest), '{}');
    const { code, stderr } = await run(cwd, 'prune', '--keep-days', '0');
    assert.is(code, 1);
    assert.match(stderr, 'the manifest of alpha is missing or damaged: nothing was removed');
    assert.equal(await filesIn(cwd), before);
  });
});

prune.run();
