import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeFiles } from '../../support/fixtures.ts';
import { withPrograms } from '../../support/skip.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';
import { day, gear, NAMES, removeUpstream, units, type World, withWorld } from './pull-world.ts';

const scenarios = suite('upstream that misbehaves');
const test = withPrograms(scenarios, 'git');

/** What a scenario does, with members of `source`. */
type Scenario = (world: World) => Promise<void>;

/** Rounds of a world with 1.0 of day 1, which is served. */
function scenario(title: string, source: Parameters<typeof withWorld>[0], play: Scenario): void {
  test(title, () =>
    withWorld(source, async (world) => {
      await world.commit('1.0', 1, { 'gear.json': gear(), 'date.json': { date: day(1) } });
      const first = await world.round(2);
      assert.is(first.code, 0, first.stdout + first.stderr);
      await play(world);
    }),
  );
}

/** The exit code, the kinds of what is told, and the builds that are served. */
async function see(world: World, on: number, ...args: string[]) {
  const { code, told, stderr, stdout } = await world.round(on, ...args);
  return {
    code,
    told,
    kinds: told.map(({ kind }) => kind),
    texts: told.map(({ text, remedy }) => `${text}; ${remedy}`).join('\n'),
    stderr,
    stdout,
    served: await world.served(),
  };
}

scenario(
  'a date that is far ahead is a question, and does not leave out later builds',
  { released_at: { file: 'date.json', at: '/date' } },
  async (world) => {
    const dated = (date: string, plus: number) => ({
      'units.json': units(NAMES, plus),
      'date.json': { date },
    });
    await world.commit('1.4', 3, dated('2062-01-03', 1));
    const wrong = await see(world, 4);
    assert.equal([wrong.code, wrong.kinds, wrong.served], [1, ['held'], ['1.0']]);
    assert.match(wrong.texts, /1\.4 is held back: its release, 2062.*--take 1\.4/s);
    await world.commit('1.5', 5, dated('2026-01-05', 2));
    const later = await see(world, 6);
    assert.equal([later.code, later.kinds, later.served], [1, [], ['1.0', '1.5']]);
    // Upstream corrects the date: then it came late, and is asked about; a person takes it.
    await world.commit('1.4', 7, dated('2026-01-03', 1));
    await see(world, 8);
    assert.is((await world.run(8, 'pull', 'game', '--take', '1.4')).code, 0);
    const taken = await see(world, 9);
    assert.equal(taken.served, ['1.0', '1.4', '1.5'], taken.stderr);
  },
);

scenario(
  'a broken build is held back and told once, a later one is served, and its own correction too',
  {},
  async (world) => {
    await world.commit('1.1', 3, { 'units.json': units(['Ann', 'Bob']) });
    const broken = await see(world, 4);
    assert.equal([broken.code, broken.kinds, broken.served], [1, ['held'], ['1.0']]);
    assert.match(broken.texts, /1\.1 is held back: records-lost.*held\.json/s);
    assert.match(await readFile(path.join(world.cwd, 'var/reviews/game-1.1.md'), 'utf8'), /records-lost/);
    const again = await see(world, 4.1);
    assert.equal([again.code, again.kinds], [1, []]);
    await world.commit('1.2', 5, { 'units.json': units(NAMES, 5) });
    const passed = await see(world, 6);
    // Nothing waits for a person: a later build passed.
    assert.equal([passed.code, passed.served], [0, ['1.0', '1.2']]);
    assert.equal(
      world
        .reports()
        .at(-1)
        ?.data.over.map(({ build }) => build),
      ['1.1'],
    );
  },
);

scenario(
  'overrides accept a held build, and a mapping that is corrected tries it again',
  {},
  async (world) => {
    await world.commit('1.1', 3, { 'units.json': units(['Ann', 'Bob', 'Cid', 'Dan']) });
    assert.is((await see(world, 4)).code, 1);
    const state = await world.state();
    const overrides = (state.builds['1.1']?.questions ?? []).map((question) => {
      const [check = '', of] = question.split(' ');
      return { check, ...(of !== undefined && { of }), reason: 'It is so.' };
    });
    await writeFiles(world.folder, {
      'held.json': JSON.stringify({ ...state, builds: { '1.1': { ...state.builds['1.1'], overrides } } }),
    });
    const accepted = await see(world, 5);
    assert.equal([accepted.code, accepted.served], [0, ['1.0', '1.1']], accepted.stderr);
  },
);

scenario(
  'a dataset that loses records is carried, said while it lasts, and accepted when upstream keeps it',
  {},
  async (world) => {
    const lost = { 'gear.json': gear(34) };
    await world.commit('1.1', 3, { ...lost, 'units.json': units(NAMES, 1) });
    const carried = await see(world, 4);
    assert.equal(
      [carried.code, carried.kinds, carried.served],
      [1, ['carried'], ['1.0', '1.1']],
      carried.stderr,
    );
    assert.match(carried.texts, /gear is kept as it was before 1\.1.*"carried"/s);
    assert.is((await see(world, 4.5)).code, 1);
    for (const [at, build] of ['1.2', '1.3', '1.4'].entries()) {
      await world.commit(build, 10 + at * 10, { ...lost, 'units.json': units(NAMES, 2 + at) });
      const more = await see(world, 11 + at * 10);
      assert.equal([more.code, more.served.at(-1)], [1, build]);
    }
    await world.commit('1.5', 40, { ...lost, 'units.json': units(NAMES, 9) });
    const accepted = await see(world, 41);
    assert.equal(
      [accepted.code, accepted.kinds, accepted.served.at(-1)],
      [0, ['accepted'], '1.5'],
      accepted.stderr,
    );
    assert.is((await world.newest('gear')).length, 34);
  },
);

scenario('a dataset that recovers is not carried any more, and that is said', {}, async (world) => {
  await world.commit('1.1', 3, { 'gear.json': gear(34), 'units.json': units(NAMES, 1) });
  assert.is((await see(world, 4)).code, 1);
  await world.commit('1.2', 5, { 'gear.json': gear(41) });
  const well = await see(world, 6);
  assert.equal([well.code, well.served.at(-1)], [0, '1.2']);
  assert.equal(
    world
      .reports()
      .at(-1)
      ?.data.over.map(({ kind }) => kind),
    ['carried'],
  );
});

scenario(
  'a roster that is held and a dataset that is carried are accepted together',
  { accept_after: { builds: 1, days: 2 } },
  async (world) => {
    const odd = (plus: number) => ({
      'units.json': Object.fromEntries(
        Object.entries(units()).map(([key, row]) => [key, { ...(row as object), hp: 3000 + plus }]),
      ),
      'gear.json': gear(34),
    });
    await world.commit('1.1', 3, odd(0));
    const held = await see(world, 4);
    assert.equal([held.code, held.served], [1, ['1.0']]);
    assert.equal(Object.keys((await world.state()).builds['1.1']?.carry ?? {}), ['gear']);
    await world.commit('1.2', 12, odd(0));
    await world.commit('1.3', 20, odd(0));
    const accepted = await see(world, 40);
    assert.ok(accepted.served.includes('1.1'), accepted.stderr);
    assert.match(accepted.texts, /1\.1 is accepted/);
  },
);

scenario('a forced push with the same label is asked about, or taken', {}, async (world) => {
  await world.upstream.git(['commit', '--quiet', '--amend', '--message', 'Update 1.0'], day(1));
  assert.equal((await see(world, 3)).code, 0);
  await writeFiles(world.upstream.folder, { 'units.json': units(NAMES, 50) });
  await world.upstream.git(['commit', '--quiet', '--all', '--amend', '--message', 'Update 1.0'], day(1));
  const changed = await see(world, 4);
  assert.equal([changed.code, changed.kinds], [1, ['changed']], changed.stderr);
  assert.match(
    changed.texts,
    /1\.0, which is served, is not what upstream has now: 1 file changed \(units\.json\).*"later_commits".*--skip 1\.0/s,
  );
  assert.equal((await see(world, 5)).kinds, []);
  await world.edit((game) => Object.assign(game.source as object, { later_commits: 'take' }));
  const taken = await see(world, 6);
  assert.equal([taken.code, (await world.newest())[0]?.stats], [0, { hp: 150 }], taken.stderr);
  assert.is((await see(world, 7)).code, 0);
});

scenario('an older commit that is amended is asked about, and skipping keeps it', {}, async (world) => {
  await world.commit('1.1', 3, { 'units.json': units(NAMES, 1) });
  await see(world, 4);
  const git = (...args: string[]) => world.upstream.git(args, day(1));
  await git('checkout', '--quiet', '--detach', 'HEAD~1');
  await writeFiles(world.upstream.folder, { 'units.json': units(NAMES, 30) });
  await git('commit', '--quiet', '--all', '--amend', '--message', 'Update 1.0');
  await world.upstream.commit('Update 1.1', day(3), { 'units.json': units(NAMES, 1) });
  await git('branch', '--force', 'main');
  await git('checkout', '--quiet', 'main');
  const changed = await see(world, 5);
  assert.equal(
    [changed.code, changed.kinds, changed.told[0]?.build],
    [1, ['changed'], '1.0'],
    changed.stderr,
  );
  assert.match(changed.texts, 'gamedata add --replace');
  await world.run(6, 'pull', 'game', '--skip', '1.0');
  assert.equal((await see(world, 7)).code, 0);
});

scenario(
  'a build that is taken back upstream is reported, and references to it are copied',
  { keep: 'references' },
  async (world) => {
    await world.commit('1.1', 3, { 'units.json': units(NAMES, 1) });
    await see(world, 4);
    await world.upstream.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    const gone = await see(world, 5);
    assert.equal([gone.code, gone.kinds, gone.served], [1, ['changed'], ['1.0', '1.1']], gone.stderr);
    assert.match(gone.texts, /1\.1, which is served, is gone upstream.*gamedata rollback game 1\.1/s);
    assert.match(
      gone.stdout,
      'upstream does not have the commit of 1.1 any more; its files are copied to it',
    );
    await rm(path.join(world.cwd, 'var/upstream'), { recursive: true });
    const back = await world.run(6, 'rollback', 'game', '1.1', '--allow-local');
    assert.is(back.code, 0, back.stderr);
    assert.equal((await see(world, 7)).code, 0);
  },
);

scenario('a second commit with an older date is asked about, and taken in its place', {}, async (world) => {
  await world.commit('1.2', 10, { 'units.json': units(NAMES, 2) });
  await see(world, 11);
  await world.commit('1.1', 5, { 'units.json': units(NAMES, 1) });
  const late = await see(world, 12);
  assert.equal([late.code, late.kinds, late.served], [1, ['held'], ['1.0', '1.2']], late.stderr);
  assert.match(late.texts, /1\.1 came late.*--take 1\.1/s);
  await world.run(13, 'pull', 'game', '--take', '1.1');
  const taken = await see(world, 14);
  assert.equal([taken.code, taken.served], [0, ['1.0', '1.1', '1.2']], taken.stderr);
});

scenario(
  'a hotfix of the newest build is no correction if only what is trimmed changed',
  { trim: { 'units.json': { columns: ['name', 'hp'] } } },
  async (world) => {
    const noisy = Object.fromEntries(
      Object.entries(units()).map(([key, row]) => [key, { ...(row as object), noise: Math.PI }]),
    );
    await world.commit('1.0', 3, { 'units.json': noisy });
    const same = await see(world, 4);
    assert.equal([same.code, same.kinds], [0, []], same.stderr);
    await world.commit('1.0', 5, { 'units.json': units(NAMES, 7) });
    assert.equal((await see(world, 6)).kinds, ['changed']);
  },
);

scenario('a link and a rename of case are named as such', {}, async (world) => {
  await removeUpstream(world, 'units.json');
  await symlink('gear.json', path.join(world.upstream.folder, 'units.json'));
  await world.upstream.git(['add', '--all']);
  await world.upstream.git(['commit', '--quiet', '--message', 'Update 1.1'], day(3));
  const link = await see(world, 4);
  assert.is(link.code, 1);
  assert.match(link.texts, 'units.json is a link upstream now');
  await removeUpstream(world, 'units.json');
  await world.upstream.commit('Update 1.2', day(5), { 'Units.json': units() });
  await see(world, 6);
  const [first] = (await world.state()).builds['1.2']?.errors ?? [];
  assert.match(first ?? '', 'units.json is called Units.json upstream now');
});

scenario(
  'a moved path, a branch that is gone and unnamed commits are failures of the game, told once and over',
  {},
  async (world) => {
    await world.upstream.commit('Something else', day(3), { 'units.json': units(NAMES, 3) });
    const unnamed = await see(world, 4);
    assert.equal([unnamed.code, unnamed.kinds], [1, ['failing']]);
    assert.match(
      unnamed.texts,
      /1 commit since the newest build changes files of the game and names no build/,
    );
    await world.commit('1.1', 5, { 'units.json': units(NAMES, 4) });
    const well = await see(world, 6);
    assert.equal([well.code, world.reports().at(-1)?.data.over.length], [0, 1]);
    await world.edit((game) => Object.assign(game.source as object, { branch: 'gone' }));
    assert.match((await see(world, 7)).stderr, /has no branch gone; its default branch is main/);
    const told = await see(world, 8);
    assert.equal([told.code, told.kinds], [1, ['failing']]);
  },
);

scenario('two builds of one second are both served, in the order of upstream', {}, async (world) => {
  await world.commit('1.b', 3, { 'units.json': units(NAMES, 1) });
  await world.commit('1.a', 3, { 'units.json': units(NAMES, 2) });
  const both = await see(world, 4);
  assert.equal([both.code, both.served], [0, ['1.0', '1.b', '1.a']], both.stderr);
});

scenario('a notice is sent again until it is delivered, and once a day what waits', {}, async (world) => {
  world.hook.status = 500;
  await world.commit('1.1', 3, { 'units.json': units(['Ann', 'Bob']) });
  const failed = await see(world, 4);
  assert.match(failed.stderr, 'this is not reported: the response had status 500');
  world.hook.status = 204;
  const again = await see(world, 4.1);
  assert.equal(again.kinds, ['held']);
  assert.equal(world.hook.received.at(-1), world.hook.received.at(-2));
  assert.equal((await see(world, 4.5)).kinds, []);
  const count = world.reports().length;
  assert.equal((await see(world, 5.6)).kinds, []);
  assert.is(world.reports().length, count + 1);
  assert.match(
    world.reports().at(-1)?.text ?? '',
    /^1 thing still waiting:\n- game: build 1\.1 is held back/,
  );
});

scenario(
  'rollback takes the newest build back, publishes, and pull leaves it out until a person takes it',
  {},
  async (world) => {
    const publish = ['--publish', 'target'];
    await world.commit('1.1', 3, { 'units.json': units(NAMES, 1) });
    await see(world, 4, ...publish);
    const refused = await world.run(5, 'rollback', 'game', '1.0', '--allow-local');
    assert.equal(
      [refused.code, /1\.0 is not the newest build of game, which is 1\.1/.test(refused.stderr)],
      [2, true],
    );
    const done = await world.run(5, 'rollback', 'game', '--allow-local', ...publish);
    assert.is(done.code, 0, done.stdout + done.stderr);
    assert.match(done.stdout, 'game: 1.0 is served again; 1.1 is withdrawn');
    const target = JSON.parse(await readFile(path.join(world.cwd, 'target/index.json'), 'utf8'));
    assert.match(
      await readFile(path.join(world.cwd, 'target', target.games[0].manifest.file), 'utf8'),
      /"withdrawn"/,
    );
    const left = await see(world, 6, ...publish);
    assert.equal([left.code, left.served], [0, ['1.0']], left.stderr);
    await world.commit('1.2', 7, { 'units.json': units(NAMES, 2) });
    assert.equal((await see(world, 8, ...publish)).served, ['1.0', '1.2']);
  },
);

test('no trouble of one game delays another', async () => {
  await withWorld({}, async (world) => {
    await world.commit('1.0', 1);
    const good = JSON.parse(await readFile(path.join(world.folder, 'game.json'), 'utf8'));
    const other = await UpstreamRepository.create(path.join(world.cwd, 'broken'));
    await other.commit('Update 1.0', day(1), { 'units.json': '[{' });
    const bad: Record<string, object> = {
      'a-wrong': { ...good, source: { git: 'file:///nowhere/at/all.git', build: 'date' } },
      'b-broken': { ...good, source: { ...good.source, git: other.address } },
      'c-invalid': { title: 7 },
      'd-draft': { ...good, draft: true },
      'e-held': good,
    };
    for (const [slug, definition] of Object.entries(bad))
      await writeFiles(world.cwd, inFolder(`data/${slug}`, { 'game.json': definition as never }));
    await writeFile(path.join(world.cwd, 'data/e-held/held.json'), '[');
    for (let at = 0; at < 5; at++)
      await writeFiles(world.cwd, inFolder(`data/z-${at}`, { 'game.json': good }));
    const { code, stderr } = await world.round(3, '--publish', 'target');
    assert.is(code, 1);
    const target = JSON.parse(await readFile(path.join(world.cwd, 'target/index.json'), 'utf8'));
    assert.equal(
      target.games.map(({ slug }: { slug: string }) => slug),
      ['game', ...[0, 1, 2, 3, 4].map((at) => `z-${at}`)],
      stderr,
    );
    for (const slug of ['a-wrong', 'b-broken', 'c-invalid', 'e-held'])
      assert.match(stderr, new RegExp(`^${slug}: `, 'm'));
  });
});

test('a round of games whose upstream did not change asks each repository once', async () => {
  await withWorld({}, async (world) => {
    await world.commit('1.0', 1);
    await world.round(2);
    await world.round(2.1);
    const second = await world.round(2.2);
    assert.equal([second.code, second.stdout], [0, '']);
    await world.commit('1.1', 3, { 'units.json': units(NAMES, 1) });
    assert.match((await world.round(4)).stdout, 'data/game/1.1: 0 new, 1 changed');
  });
});

scenarios.run();
