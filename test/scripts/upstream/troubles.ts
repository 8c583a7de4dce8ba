import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { type Files, writeFiles } from '../../support/fixtures.ts';
import { withPrograms } from '../../support/skip.ts';
import { type GitServer, serveRepositories } from '../../support/upstream-repository.ts';
import { day, gear, NAMES, removeUpstream, scenariosOf, see, units, type World } from './pull-world.ts';

/*
 * What upstreams do, as a table. Each trouble is played like this: it happens on day 3 and is pulled twice, where only the first round may tell it; then
 * upstream is well again by itself, and the next round serves what it has with nothing left to do for a person.
 */
interface Trouble {
  source?: JsonObject;
  /** What happens: the files of build 1.1, or anything else. */
  cause: Files | ((world: World) => Promise<unknown>);
  /** The kinds of what is told; by default nothing is. The exit code is 1 if something is. */
  kinds?: string[];
  /** What is told, with its remedy. */
  says?: RegExp;
  /** What is served meanwhile; by default 1.0 and 1.1. */
  served?: string[];
  /** Without it, upstream commits a build 1.2 in which all is well. */
  mend?: (world: World) => Promise<unknown>;
  /** What is served in the end; by default the same and 1.2. */
  after?: string[];
  check?: (world: World) => Promise<unknown>;
  end?: () => Promise<unknown> | undefined;
}

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
const HTML = '<!DOCTYPE html>\n<html><body>Rate limit exceeded</body></html>\n';
const news = (plus = 1): Files => ({ 'units.json': units(NAMES, plus) });
const text = (value: Json) => JSON.stringify(value, null, 1);
/** One more row of the gear. */
const oddGear = (row: JsonObject): Files => ({ ...news(), 'gear.json': [...(gear() as Json[]), row] });
/** Three more units, named by their ids and a title. */
const named = (title: string, plus = 1): Files => ({
  'units.json': text(units([...NAMES, 'kim', 'lea', 'max'], plus)).replace(
    /"(kim|lea|max)",/g,
    `"$1${title}",`,
  ),
});
const renamed = (from: string, to: string): Json =>
  JSON.parse(text(gear()).replaceAll(`"${from}"`, `"${to}"`));

/** A fault of the roster's file holds the build; one of a dataset's file keeps the dataset as it was. */
const held = (says: RegExp, cause: Trouble['cause']): Trouble => ({
  cause,
  kinds: ['held'],
  says,
  served: ['1.0'],
});
const carried = (says: RegExp, files: Files): Trouble => ({
  cause: { ...news(), ...files },
  kinds: ['carried'],
  says,
  check: async (world) => assert.is((await world.newest('gear')).length, 40),
});
/** Leaves a build out, as a person does, before the next one comes. */
const skip = (build: string) => async (world: World) => {
  await world.run(5, 'pull', 'game', '--skip', build);
  await world.commit('1.2', 5, news(2));
};
/** A fault of one record leaves it as it was, or out if it is new; the others are served. */
const oneRecord = (key: string, row: JsonObject): Trouble => ({
  cause: { 'units.json': { ...units(NAMES, 1), [key]: row } },
  kinds: ['carried'],
  says: new RegExp(`characters/${key} is kept as it was before 1\\.1, or left out`),
  check: async (world) => {
    const roster = await world.newest();
    assert.is(roster.length, 10);
    const found = roster
      .filter(({ id }) => id === 'ann' || id === 'bob')
      .map(({ name, stats }) => ({ name, stats }));
    assert.equal(found, [
      { name: 'Ann', stats: { hp: 101 } },
      { name: 'Bob', stats: { hp: 101 } },
    ]);
  },
});
const replaceFile = (file: string, mode: string) => async (world: World) => {
  const { upstream } = world;
  const at = mode === '160000' ? '1'.repeat(40) : await upstream.git(['hash-object', '-w', file]);
  await removeUpstream(world, file);
  await upstream.git(['update-index', '--add', '--cacheinfo', `${mode},${at},${file}`]);
  await upstream.git(['commit', '--quiet', '--message', 'Update 1.1'], day(3));
};

/** The repository is on a host, which does this instead of serving it. */
const onHost = (says: RegExp, fault: ReturnType<GitServer['fault']>): Trouble => {
  let server: GitServer | undefined;
  return {
    cause: async (world) => {
      server = await serveRepositories(world.cwd);
      const git = `${server.address}/up/.git`;
      await world.edit((game) => Object.assign(game.source as object, { git }));
      assert.is((await see(world, 2.5)).code, 0);
      server.fault = () => fault;
      await world.commit('1.1', 3, news());
    },
    kinds: ['failing'],
    says,
    served: ['1.0'],
    after: ['1.0', '1.1', '1.2'],
    mend: async (world) => {
      if (server) server.fault = () => undefined;
      await world.commit('1.2', 5, news(2));
    },
    end: () => server?.close(),
  };
};

const TROUBLES: Record<string, Trouble> = {
  'a host that asks to wait': onHost(/error: 429; the host asks to wait.*--every/, { status: 429 }),
  'a repository that moved to another host': onHost(/error: 302; it moved.*change the address in "source"/, {
    redirect: 'https://elsewhere.example/up.git',
  }),
  'a licence file that is gone': {
    cause: async (world) => {
      await world.commit('1.1', 3, { ...news(), LICENSE: 'MIT' });
      await see(world, 3.2);
      await removeUpstream(world, 'LICENSE');
      await world.upstream.commit('Tidy up', day(3.4), {});
    },
    kinds: ['changed'],
    says: /LICENSE, which states the licence, is gone upstream.*"none stated"/,
    mend: (world) => world.commit('1.2', 5, { ...news(2), LICENSE: 'MIT' }),
  },
  'an LFS pointer in place of the roster': held(/units\.json.*Git LFS/s, { 'units.json': POINTER }),
  'a page of HTML in place of the roster': held(/units\.json/, { 'units.json': HTML }),
  'an empty roster file': held(/units\.json/, { 'units.json': '' }),
  'a roster file that breaks off': held(/units\.json/, { 'units.json': text(units()).slice(0, 100) }),
  'a roster in another encoding': held(/UTF-8/, {
    'units.json': Buffer.from(text(units(['Zoé'])), 'latin1'),
  }),
  'a submodule in place of the roster': held(
    /units\.json is a submodule/,
    replaceFile('units.json', '160000'),
  ),
  'no roster file': held(/units\.json/, async (world) => {
    await removeUpstream(world, 'units.json');
    await world.upstream.commit('Update 1.1', day(3), {});
  }),
  'a file that is larger than allowed': {
    ...held(/"limits" in "source"/, {
      'units.json': { ...units(), big: { name: 'x'.repeat(1_100_000), hp: 1 } },
    }),
    source: { limits: { file_mb: 1 } },
  },
  'an LFS pointer in place of a dataset': carried(/gear is kept/, { 'gear.json': POINTER }),
  'a page of HTML in place of a dataset': carried(/gear is kept as it was before 1\.1/, {
    'gear.json': HTML,
  }),
  'an empty file of a dataset': carried(/gear is kept/, { 'gear.json': '' }),
  'a file of a dataset that breaks off': carried(/gear is kept/, { 'gear.json': text(gear()).slice(0, 500) }),
  'a dataset in another encoding': carried(/gear is kept/, {
    'gear.json': Buffer.from(text(gear()).replaceAll('Gear', 'Gëar'), 'latin1'),
  }),
  'a column of a dataset with another name': carried(/gear is kept.*values-lost/s, {
    'gear.json': renamed('power', 'might'),
  }),
  'a dataset all of whose rows its "where" drops': carried(/gear is kept.*where-drops-all/s, {
    'gear.json': renamed('id', 'key'),
  }),
  'a new dataset whose where drops all rows': {
    ...carried(/pets is kept as it was before 1\.1, or left out if it is new.*where-drops-all/s, {}),
    cause: async (world) => {
      await world.edit(({ tables, datasets }) => {
        Object.assign(tables as object, { pets: { files: 'pets.json', optional: true } });
        Object.assign(datasets as object, { pets: { from: 'pets', where: 'kind', entry: "{'id': id}" } });
      });
      await world.commit('1.1', 3, { ...news(), 'pets.json': gear() });
    },
    mend: (world) => world.commit('1.2', 5, { ...news(2), 'pets.json': [{ id: 'p', kind: true }] }),
  },
  'an id of a dataset twice': carried(
    /gear\/g1 is kept as it was.*: ids/s,
    oddGear({ id: 'g1', name: 'Twice', power: 1 }),
  ),
  'an id of a dataset with a comma': carried(
    /gear\/a,b is kept as it was.*: ids/s,
    oddGear({ id: 'a,b', name: 'X', power: 1 }),
  ),
  'an optional file of a dataset that is gone': {
    ...carried(/gear is kept.*dataset-gone/s, {}),
    cause: async (world) => {
      await removeUpstream(world, 'gear.json');
      await world.upstream.commit('Update 1.1', day(3), news());
    },
    mend: (world) => world.commit('1.2', 5, { ...news(2), 'gear.json': gear() }),
  },
  'line ends of another system in a build that is served': {
    cause: async (world) => {
      await world.commit('1.0', 3, { 'units.json': text(units()).replaceAll('\n', '\r\n') });
    },
    served: ['1.0'],
  },
  'a build without a change': { cause: { 'date.json': '{}' } },
  'a commit that is dated far ahead': {
    cause: (world) => world.commit('1.1', 10_000, news()),
    kinds: ['held'],
    says: /1\.1 is held back: its release, 20.*--take 1\.1/s,
    served: ['1.0'],
    mend: skip('1.1'),
  },
  'a commit that is dated long ago': {
    cause: (world) => world.commit('1.1', -10_000, news()),
    kinds: ['held'],
    says: /1\.1 came late.*--take 1\.1.*--skip 1\.1/s,
    served: ['1.0'],
    mend: skip('1.1'),
  },
  'a history that is replaced by one commit': {
    cause: async (world) => {
      await world.upstream.git(['checkout', '--quiet', '--orphan', 'fresh']);
      await world.commit('1.1', 3, news());
      await world.upstream.git(['branch', '--force', 'main']);
      await world.upstream.git(['checkout', '--quiet', 'main']);
    },
    kinds: ['changed'],
    says: /1\.0, which is served, is gone upstream.*gamedata rollback game 1\.1.*--skip 1\.0/s,
    mend: skip('1.0'),
  },
  'a newest commit with another label': {
    cause: async (world) => {
      await world.commit('1.1', 2, news());
      await see(world, 3);
      await world.upstream.git(['commit', '--quiet', '--amend', '--message', 'Update 1.1b'], day(3));
    },
    kinds: ['changed'],
    says: /1\.1, which is served, is gone upstream/,
    served: ['1.0', '1.1', '1.1b'],
    mend: skip('1.1'),
  },
  'a hotfix of an older build': {
    cause: async (world) => {
      await world.commit('1.1', 3, news());
      await see(world, 3.5);
      await world.commit('1.0', 3.7, news(30));
    },
    kinds: ['changed'],
    says: /1\.0, which is served.*--take 1\.0.*--skip 1\.0/s,
    mend: skip('1.0'),
  },
  'names of builds that objects inherit, or that lead out of the folder': {
    cause: async (world) => {
      await world.commit('constructor', 3, news());
      await world.commit('__proto__', 3.5, { 'units.json': units(['Ann']) });
      await world.commit('../../x', 3.7, news());
    },
    kinds: ['failing'],
    says: /names the build "__proto__"/,
    served: ['1.0', 'constructor'],
    after: ['1.0', 'constructor', '1.2'],
  },
  'a default branch with another name': {
    cause: async (world) => {
      await world.upstream.git(['branch', '--move', 'trunk']);
      await world.commit('1.1', 3, news());
    },
  },
  'a repository that has only its newest commit': {
    cause: async (world) => {
      await world.commit('1.1', 3, news());
      const { folder, address } = world.upstream;
      await rename(folder, `${folder}-full`);
      await promisify(execFile)('git', ['clone', '--quiet', '--depth=1', `${address}-full`, folder]);
    },
    kinds: ['changed'],
    says: /1\.0, which is served, is gone upstream/,
    mend: async (world) => {
      await rm(world.upstream.folder, { recursive: true });
      await rename(`${world.upstream.folder}-full`, world.upstream.folder);
      await world.commit('1.2', 5, news(2));
    },
  },
  'a default branch that does not exist': {
    cause: async (world) => {
      await world.commit('1.1', 3, news());
      await world.upstream.git(['symbolic-ref', 'HEAD', 'refs/heads/nothing']);
    },
    kinds: ['failing'],
    says: /the branch is gone .*correct "branch" in "source"/,
    served: ['1.0'],
    after: ['1.0', '1.1'],
    mend: (world) => world.upstream.git(['symbolic-ref', 'HEAD', 'refs/heads/main']),
  },
  'a repository that is private now': onHost(/error: 403; it is private now, or gone.*"What is fetched"/, {
    status: 403,
  }),
  'a repository that asks for a password': onHost(/it is private now, or gone.*"What is fetched"/, {
    authorization: 'Basic secret',
  }),
  'a host that shows a page instead': onHost(/cannot be fetched/, { status: 200 }),
  'a host that cannot leave out files': {
    cause: async (world) => {
      for (const setting of ['allowFilter', 'allowAnySHA1InWant'])
        await world.upstream.git(['config', `uploadpack.${setting}`, 'false']);
      await world.commit('1.1', 3, news());
    },
  },
  'commits that touch other files, or none': {
    cause: async (world) => {
      await world.upstream.commit('Correct a typo', day(3), { 'README.md': 'x' });
      await world.upstream.commit('Run it again', day(3.2), {});
    },
    served: ['1.0'],
  },
  'a merge that names no build': {
    cause: async (world) => {
      await world.upstream.git(['checkout', '--quiet', '-b', 'work']);
      await world.commit('1.1', 3, news());
      await world.upstream.git(['checkout', '--quiet', 'main']);
      await world.upstream.git(['merge', '--quiet', '--no-ff', '--message', 'Merge work', 'work'], day(3.1));
    },
    kinds: ['failing'],
    says: /"Merge work"\) changes files of the game and names no build/,
    served: ['1.0'],
  },
  'a mark of the byte order': { cause: { 'units.json': `\ufeff${text(units(NAMES, 1))}` } },
  'a file that may be run, one with nearly its name, and a submodule elsewhere': {
    cause: async (world) => {
      const { upstream } = world;
      await writeFiles(upstream.folder, { ...news(), 'Units.json': '{"bad": 1}' });
      await upstream.git(['add', '--all']);
      await upstream.git(['update-index', '--chmod=+x', 'units.json']);
      await upstream.git(['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},other`]);
      await upstream.git(['commit', '--quiet', '--message', 'Update 1.1'], day(3));
    },
  },
  'a roster file in another folder': {
    ...held(/units\.json is called data\/units\.json upstream now: name it so in "tables"/, async (world) => {
      await writeFiles(world.upstream.folder, { 'data/.keep': '' });
      await world.upstream.git(['mv', 'units.json', 'data/']);
      await world.upstream.commit('Update 1.1', day(3), {});
    }),
    mend: async (world) => {
      await world.upstream.git(['mv', 'data/units.json', '.']);
      await world.commit('1.2', 5, news(2));
    },
  },
  'a dataset that is nested too deeply': carried(/gear is kept/, {
    'gear.json': '['.repeat(20_000) + ']'.repeat(20_000),
  }),
  'a repository that is gone for a while': {
    cause: async (world) => {
      await rename(world.upstream.folder, `${world.upstream.folder}-gone`);
    },
    kinds: ['failing'],
    says: /cannot be fetched.*check the address and the network/s,
    served: ['1.0'],
    mend: async (world) => {
      await rename(`${world.upstream.folder}-gone`, world.upstream.folder);
      await world.commit('1.2', 5, news(2));
    },
  },
  'a withdrawn build': {
    cause: async (world) => {
      await world.commit('1.1', 3, news());
      await see(world, 3.2);
      await world.commit('1.2', 3.4, news(2));
      await see(world, 3.6);
      await rm(path.join(world.folder, '1.1'), { recursive: true });
      await world.run(3.7, 'pull', 'game', '--skip', '1.1');
      assert.is((await world.run(3.8, 'build', '--amend', 'It was wrong.', '--allow-local')).code, 0);
    },
    served: ['1.0', '1.2'],
    mend: (world) => world.commit('1.3', 5, news(3)),
    after: ['1.0', '1.2', '1.3'],
  },
  'a unit with an id that cannot be served': oneRecord('a,b', { name: 'Odd', hp: 5 }),
  'a new unit that is named <na>': oneRecord('new', { name: '<na>', hp: 105 }),
  'a unit that is named <na> now': oneRecord('bob', { name: '<na>', hp: 101 }),
  'a number of one unit that jumped': oneRecord('bob', { name: 'Bob', hp: 101_000 }),
  'a name with one angle bracket': {
    cause: { 'units.json': { ...units(NAMES, 1), new: { name: '‹총, 귀여움, 청춘>', hp: 105 } } },
    mend: (world) =>
      world.commit('1.2', 5, {
        'units.json': { ...units(NAMES, 2), new: { name: '‹총, 귀여움, 청춘>', hp: 105 } },
      }),
  },
  'units whose names come after their ids': {
    cause: async (world) => {
      await world.commit('1.1', 3, named(''));
      await see(world, 3.5);
      await world.commit('1.2', 3.7, named(' the Brave'));
    },
    served: ['1.0', '1.1', '1.2'],
    mend: (world) => world.commit('1.3', 5, named(' the Brave', 2)),
    after: ['1.0', '1.1', '1.2', '1.3'],
  },
  'a label that goes back': {
    cause: async (world) => {
      await world.commit('1.1', 3, news());
      await see(world, 3.5);
      await world.commit('1.0', 3.7, { 'units.json': units() });
    },
  },
};

/** Plays a part of the table: a file of tests has a limit of time. @param from the first and @param to the one after the last */
export function playTroubles(from: number, to?: number): void {
  const troubles = suite('troubles of upstream');
  const play = scenariosOf(withPrograms(troubles, 'git'));
  for (const [title, trouble] of Object.entries(TROUBLES).slice(from, to))
    play(title, trouble.source ?? {}, (world) => playTrouble(world, trouble).finally(() => trouble.end?.()));
  troubles.run();
}

async function playTrouble(world: World, trouble: Trouble): Promise<void> {
  const { cause, kinds = [], says, served = ['1.0', '1.1'], mend, check } = trouble;
  const code = kinds.length > 0 ? 1 : 0;
  if (typeof cause === 'function') await cause(world);
  else await world.commit('1.1', 3, cause);
  const first = await see(world, 4);
  assert.equal([first.code, first.kinds, first.served], [code, kinds, served], first.stderr);
  if (says) assert.match(first.texts, says);
  await check?.(world);
  const again = await see(world, 4.1);
  assert.equal([again.code, again.kinds, again.served], [code, [], served], again.stderr);
  if (mend) await mend(world);
  else await world.commit('1.2', 5, { ...news(2), 'gear.json': gear(), 'date.json': { date: day(5) } });
  const well = await see(world, 6);
  assert.equal([well.code, well.served], [0, trouble.after ?? [...new Set([...served, '1.2'])]], well.stderr);
}
