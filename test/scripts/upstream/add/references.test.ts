import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBuilds, readGameFile } from '../../../../scripts/read/game.ts';
import { addBuild, TRIAL_FILE } from '../../../../scripts/upstream/add/add-build.ts';
import { findPresentFiles, readPathsOf } from '../../../../scripts/upstream/add/files.ts';
import { type Files, withFolder, writeFiles } from '../../../support/fixtures.ts';

const test = suite('builds that name their files by reference');

const GAME = { 'game/game.json': { title: 'Game', tables: { units: 'raw/**/*.json' } } };
const GIT = 'https://example.org/dumps.git';

/** A game whose dumps are commits: each is named by a digit. */
class Commits {
  readonly folder: string;
  readonly game: string;

  constructor(folder: string) {
    this.folder = folder;
    this.game = path.join(folder, 'game');
  }

  /** Adds the dump in the folder `dump` as a build, whose files have another path upstream. */
  async add(build: string, commit: string, { isTrial = false, at = build } = {}): Promise<void> {
    const released_at = new Date(Date.UTC(2026, 0, Number(at))).toISOString();
    const dump = path.join(this.folder, 'dump');
    const from = (file: string) => [file, { git: GIT, commit: commit.repeat(40), path: file }] as const;
    const files = new Map(['a', 'b', 'c', 'jp/cards', 'kr/cards'].map((name) => from(`raw/${name}.json`)));
    files.set('raw/a.json', { ...from('raw/a.json')[1], path: 'store/a.json' });
    const origin = { files, cache: path.join(this.folder, 'cache') };
    const wanted = { game: this.game, build, into: '', released_at, note: undefined, isTrial, origin };
    await addBuild(dump, { ...wanted, into: '', partial: false, now: released_at });
  }

  async replaceDump(files: Files): Promise<void> {
    await rm(path.join(this.folder, 'dump'), { recursive: true, force: true });
    await writeFiles(path.join(this.folder, 'dump'), files);
  }

  /** What each build has: the commits of its own files, and the contents of all. */
  async read(): Promise<Record<string, [string[], Record<string, string>]>> {
    const raw = await readGameFile(this.game, []);
    assert.ok(raw);
    const builds = await readBuilds(this.game, raw, [], path.join(this.folder, 'cache'));
    const found: Record<string, [string[], Record<string, string>]> = {};
    for (const [index, { build, references }] of builds.entries()) {
      const own = references.map(({ file, commit, path: inside }) => `${file} ${commit[0]} ${inside}`);
      const present = findPresentFiles(builds.slice(0, index + 1), readPathsOf(raw));
      assert.equal(present.findings, []);
      const contents: Record<string, string> = {};
      for (const [file, at] of present.value) contents[file] = JSON.parse(await readFile(at.path, 'utf8'))[0];
      found[build] = [own, contents];
    }
    return found;
  }
}

test('name what changed, inherit the rest, and make room for a build before them', async () => {
  await withFolder(GAME, async (folder) => {
    const commits = new Commits(folder);
    await commits.replaceDump({ 'raw/a.json': ['a1'], 'raw/b.json': ['b1'] });
    await commits.add('1', '1');
    await commits.replaceDump({ 'raw/a.json': ['a3'], 'raw/b.json': ['b1'] });
    await commits.add('3', '3');
    await commits.replaceDump({ 'raw/a.json': ['a2'], 'raw/b.json': ['b2'], 'raw/c.json': ['c2'] });
    await commits.add('2', '2', { isTrial: true });
    assert.equal(await commits.read(), {
      1: [
        ['raw/a.json 1 store/a.json', 'raw/b.json 1 raw/b.json'],
        { 'raw/a.json': 'a1', 'raw/b.json': 'b1' },
      ],
      2: [
        ['raw/a.json 2 store/a.json', 'raw/b.json 2 raw/b.json', 'raw/c.json 2 raw/c.json'],
        { 'raw/a.json': 'a2', 'raw/b.json': 'b2', 'raw/c.json': 'c2' },
      ],
      3: [
        ['raw/a.json 3 store/a.json', 'raw/b.json 1 raw/b.json'],
        { 'raw/a.json': 'a3', 'raw/b.json': 'b1' },
      ],
    });

    // Pull keeps what it tried.
    await rm(path.join(commits.game, '2', TRIAL_FILE));
    await commits.replaceDump({ 'raw/b.json': ['b4'] });
    const wanted = { game: commits.game, build: '3', into: '', partial: false, replace: true, now: '' };
    const added = await addBuild(path.join(folder, 'dump'), wanted);
    assert.equal(
      added.addition.changed.map((file) => file.path),
      ['raw/b.json'],
    );
    assert.equal((await commits.read())['3'], [[], { 'raw/b.json': 'b4' }]);
  });
});

test('a file that is in the folder and named by reference, or named twice, is an error', async () => {
  await withFolder(GAME, async (folder) => {
    const commits = new Commits(folder);
    await commits.replaceDump({ 'raw/a.json': ['a1'] });
    await commits.add('1', '1');
    const build = path.join(commits.game, '1/build.json');
    const written = JSON.parse(await readFile(build, 'utf8'));
    await writeFiles(commits.game, { '1/raw/a.json': ['a1'] });
    const raw = await readGameFile(commits.game, []);
    assert.ok(raw);
    const both = findPresentFiles(await readBuilds(commits.game, raw, []), readPathsOf(raw));
    assert.match(both.findings[0]?.found ?? '', '"from" in build.json names too');
    await writeFile(build, JSON.stringify({ ...written, from: [written.from, written.from] }));
    const findings: Parameters<typeof readBuilds>[2] = [];
    await readBuilds(commits.game, raw, findings);
    assert.equal(
      findings.map(({ place, found }) => [place.pointer, found]),
      [['/from/1/files/raw~1a.json', '"raw/a.json" a second time']],
    );
  });
});

const REFUSED: [from: unknown, message: RegExp][] = [
  [{ commit: 'main', files: { a: '0'.repeat(64) } }, /the whole name of a commit/],
  [{ commit: '1'.repeat(40), files: { '../a': '0'.repeat(64) } }, /a path inside the build's folder/],
  [{ commit: '1'.repeat(40), files: { 'a\u001b[2J': '0'.repeat(64) } }, /a path inside the build's folder/],
  [{ commit: '1'.repeat(40), files: { 'build.json': '0'.repeat(64) } }, /a path inside the build's folder/],
  [
    { commit: '1'.repeat(40), files: { a: { path: '../a', sha256: '0'.repeat(64) } } },
    /inside the repository/,
  ],
  [{ commit: '1'.repeat(40), files: { a: '../../etc/passwd' } }, /a SHA-256 as 64 hexadecimal digits/],
  [{ git: '--upload-pack=id', commit: '1'.repeat(40), files: { a: '0'.repeat(64) } }, /a git repository/],
  [{ commit: '1'.repeat(40), files: { a: '0'.repeat(64) } }, /the address of one/],
];

test('refuse what could leave the folder, the repository or the cache', async () => {
  await withFolder(GAME, async (folder) => {
    const game = path.join(folder, 'game');
    const raw = await readGameFile(game, []);
    for (const [from, message] of REFUSED) {
      await writeFiles(game, { '1/build.json': { released_at: '2026-01-01', from: from as string } });
      const findings: Parameters<typeof readBuilds>[2] = [];
      await readBuilds(game, raw, findings);
      assert.match(findings.map(({ expected }) => expected).join('\n'), message, JSON.stringify(from));
    }
  });
});

test.run();
