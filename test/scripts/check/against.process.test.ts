import { cp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';

const against = suite('gamedata check --against a commit');
const test = withPrograms(against, 'git');

const NAMES = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve'];

/** @param hp that of Ann */
function units(hp: number): Json {
  return NAMES.map((name) => ({ id: name.toLowerCase(), name, stats: { hp: name === 'Ann' ? hp : 500 } }));
}

interface Place {
  cwd: string;
  /** `check` and `review` with `--against main`. */
  check(): Promise<Outcome>;
  review(): Promise<Outcome>;
  build(...args: string[]): Promise<Outcome>;
  write(file: string, content: Json): Promise<void>;
  /** Changes builds.lock.json. */
  lock(edit: (text: string) => string): Promise<void>;
}

/** A project with two recorded builds on its branch main, and a stranger's branch. */
async function withProject(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder({}, async (folder) => {
    const project = await UpstreamRepository.create(path.join(folder, 'project'));
    const cwd = project.folder;
    const run = (...args: string[]) => runInProcess('gamedata', args, { cwd });
    const write = (file: string, content: Json) =>
      writeFiles(path.join(cwd, 'data/game'), { [file]: content });
    await writeFiles(cwd, inFolder('data/game', gameFiles({ '1.0/characters.json': units(100) })));
    await write('1.1/build.json', { released_at: '2026-02-01' });
    await write('1.1/characters.json', units(110));
    await run('build');
    await rm(path.join(cwd, 'dist'), { recursive: true });
    await rm(path.join(cwd, 'var'), { recursive: true });
    await project.commit('Release two builds', '2026-03-01T00:00:00Z', {});
    await project.git(['switch', '--quiet', '--create', 'stranger']);
    const file = path.join(cwd, 'data/game/builds.lock.json');
    await use({
      ...{ cwd, write },
      check: () => run('check', '--against', 'main'),
      review: () => run('review', '--against', 'main'),
      build: (...args) => run('build', '--no-cache', ...args),
      lock: async (edit) => writeFile(file, edit(await readFile(file, 'utf8'))),
    });
  });
}

test('a past build that is changed without its record is an error, and the review shows it', async () => {
  await withProject(async ({ cwd, check, review, build, write }) => {
    assert.equal([(await check()).code, (await review()).stdout], [0, 'No build differs.\n']);
    await write('1.0/characters.json', units(150));
    await rm(path.join(cwd, 'data/game/builds.lock.json'));
    // The stranger records it anew, as if it had always been so.
    const built = await build();
    assert.is(built.code, 0, built.stderr);
    const { code, stdout } = await check();
    assert.is(code, 1);
    assert.match(
      stdout,
      /error data\/game\/1\.0\/build\.json\S* \(recorded-build\)\n.*different content in roster, characters[\s\S]*as published in main, commit [0-9a-f]{10}/,
    );
    // A folder of the stranger's that is called like the commit takes its place neither here nor in the workflow.
    await cp(path.join(cwd, 'dist'), path.join(cwd, 'main'), { recursive: true });
    assert.is((await check()).code, 1, 'a folder is called like the commit');
    await rm(path.join(cwd, 'main'), { recursive: true });
    const reviewed = (await review()).stdout;
    assert.match(reviewed, /## `game` `1\.0` → `1\.0`[\s\S]*compared with main, commit/);
    assert.match(reviewed, '- `differs in roster, characters`');
    assert.match(reviewed, '| `ann Ann` | `stats.hp` | `100` | `150` (+50%) |');
  });
});

test('a data folder that is a link is refused, since its games were elsewhere', async () => {
  await withProject(async ({ cwd, check }) => {
    await rename(path.join(cwd, 'data'), path.join(cwd, 'other'));
    await symlink('other', path.join(cwd, 'data'));
    const { code, stderr } = await check();
    assert.equal([code, /data is a link, .* name the folder itself/.test(stderr)], [2, true], stderr);
  });
});

test('a lock that is edited, or an entry of it that is missing, is an error although no build is changed', async () => {
  await withProject(async ({ cwd, check, lock }) => {
    await lock((text) => text.replace(/[0-9a-f]{64}/, '0'.repeat(64)));
    const edited = await check();
    assert.is(edited.code, 1);
    assert.match(
      edited.stdout,
      /builds\.lock\.json\S* \/builds\/1\.0 \(recorded-build\)\n.*another entry than before of the released build 1\.0/,
    );
    await lock((text) => {
      const { builds } = JSON.parse(text);
      delete builds['1.0'];
      return JSON.stringify({ builds });
    });
    assert.match((await check()).stdout, 'no entry any more of the released build 1.0');
    await rm(path.join(cwd, 'data/game/builds.lock.json'));
    const { code, stdout } = await check();
    assert.is(code, 1);
    assert.match(stdout, 'no entry any more of the released build 1.1');
  });
});

test('a stated correction and a new build are no errors, and the review shows both', async () => {
  await withProject(async ({ check, review, build, write }) => {
    await write('1.0/characters.json', units(150));
    await write('1.2/build.json', { released_at: '2026-03-01' });
    await write('1.2/characters.json', units(120));
    assert.is((await build('--amend', 'hp was that of level 1')).code, 0);
    const { code, stdout } = await check();
    assert.is(code, 0, stdout);
    const reviewed = (await review()).stdout;
    assert.match(reviewed, /## `game` `1\.1` → `1\.2`[\s\S]*## `game` `1\.0` → `1\.0`/);
    assert.not.match(reviewed, '`1.1` → `1.1`');
  });
});

test('a build that is removed is an error, and a note of the review', async () => {
  await withProject(async ({ cwd, check, review }) => {
    await rm(path.join(cwd, 'data/game/1.1'), { recursive: true });
    await rm(path.join(cwd, 'data/game/builds.lock.json'));
    const { code, stdout } = await check();
    assert.is(code, 1);
    assert.match(stdout, /no build 1\.1/);
    assert.match((await review()).stdout, '- `build 1.1 was removed`');
  });
});

test('says that a revision is neither a commit nor a dist/', async () => {
  await withProject(async ({ cwd }) => {
    const { code, stderr } = await runInProcess('gamedata', ['check', '--against', 'nothing'], { cwd });
    assert.is(code, 2);
    assert.match(
      stderr,
      /nothing is not a commit of the git repository that holds data\/ .*: expected a dist\/ folder or its address, or a branch/,
    );
  });
});

against.run();
