import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CorePackage } from '../support/core-package.ts';
import { DATA } from '../support/paths.ts';
import { sampleOf } from '../support/random.ts';
import { runInProcess } from '../support/run-in-process.ts';

interface Context {
  core: CorePackage;
}

/** The package with both `parts/` folders deleted. */
const alone = suite<Context>('the core alone');

alone.before(async (context) => {
  context.core = await CorePackage.make();
});
alone.after(({ core }) => core.remove());

/** Of one of these games, or both, all bytes are compared: one of tables in JSON, and one of CSV files. */
const COMPARED = ['project-sekai', 'princess-connect'];

async function readFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  const read = async (name: string) => [name, await readFile(path.join(folder, name), 'base64')] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}

alone('compiles the shipped games to the same bytes as with all parts', async ({ core }) => {
  const games = (await readdir(DATA, { withFileTypes: true })).flatMap((entry) =>
    entry.isDirectory() && !COMPARED.includes(entry.name) ? entry.name : [],
  );
  const compared = sampleOf(COMPARED, 1);
  const { code, stderr } = await core.run('gamedata', 'build', ...compared, ...sampleOf(games, 0));
  assert.is(code, 0, stderr);
  const whole = path.join(core.folder, 'whole');
  const args = ['build', ...compared, '--data', DATA, '--out', whole, '--no-cache'];
  const built = await runInProcess('gamedata', args, { cwd: core.folder });
  assert.is(built.code, 0, built.stderr);
  for (const slug of compared)
    assert.equal(
      await readFiles(path.join(core.folder, 'dist', slug)),
      await readFiles(path.join(whole, slug)),
    );
});

alone('fails on a build that is not recorded, until an option accepts it', async ({ core }) => {
  const game = path.join(core.folder, 'data/project-sekai');
  await cp(path.join(game, '1.1.0.1'), path.join(game, 'next'), { recursive: true });
  const definition = JSON.stringify({ released_at: '2026-11-01' });
  await writeFile(path.join(game, 'next/build.json'), definition);
  const refused = await core.run('gamedata', 'build', 'project-sekai');
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /error data\/project-sekai\/next\/build\.json:1 \(unchecked-build\)\n/);
  assert.match(
    refused.stderr,
    /1 build not checked for damage, because the part "steps" .* not installed: next\n/,
  );
  assert.match(refused.stderr, /--unchecked-steps\n/);
  const accepted = await core.run('gamedata', 'build', 'project-sekai', '--unchecked-steps');
  assert.is(accepted.code, 0, accepted.stderr);
  assert.match(accepted.stderr, /^warning data\/project-sekai\/next\/build\.json:1 \(unchecked-build\)$/m);
  assert.match(await readFile(path.join(game, 'builds.lock.json'), 'utf8'), '"next"');
  const published = await runInProcess('gamedata', ['publish', 'public'], { cwd: core.folder });
  assert.is(published.code, 1);
  assert.match(
    published.stderr,
    /builds of project-sekai in dist\/ were not checked for damage.*--unchecked-steps\n$/,
  );
  const published2 = await runInProcess('gamedata', ['publish', 'public', '--unchecked-steps'], {
    cwd: core.folder,
  });
  assert.is(published2.code, 0, published2.stderr);
  await rm(path.join(game, 'next'), { recursive: true });
});

alone('has the commands of the core, and says which parts others need', async ({ core }) => {
  const { stdout } = await core.run('gamedata', '--help');
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) (?=\[|<)/gm)].map(([, name]) => name);
  assert.equal(commands, ['build', 'help']);
  const unknown = await core.run('gamedata', 'pull');
  assert.is(unknown.code, 2);
  assert.match(unknown.stderr, /unknown command 'pull'[\s\S]*not installed: .*upstream/);
  const csv = await core.run('gamedata', 'build', '--formats', 'csv');
  assert.is(csv.code, 1);
  assert.match(csv.stderr, 'the format csv needs the part "bulk", which is not installed');
});

alone.run();
