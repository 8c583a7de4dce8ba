import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GameState } from '../../../scripts/upstream/pull/state.ts';
import { startCommand } from '../../support/command.ts';
import { interruptAt } from '../../support/interrupt.ts';
import { withPrograms } from '../../support/skip.ts';
import { serveRepositories } from '../../support/upstream-repository.ts';
import { day, NAMES, scenariosOf, see, units, type World, withWorld } from './pull-world.ts';

const scenarios = suite('rounds of pull');
const test = withPrograms(scenarios, 'git');
const scenario = scenariosOf(test);

/** Rounds of the real program, which can be killed. */
const pull = (world: World, ...args: string[]) =>
  startCommand('gamedata', ['pull', '--build', '--allow-local', ...args], { cwd: world.cwd });

async function commitMany(world: World): Promise<void> {
  for (const at of [0, 1, 2, 3]) await world.commit(`1.${at}`, at + 1, { 'units.json': units(NAMES, at) });
}

/** Pulls once more: everything is there, nothing is left behind. */
async function expectAll(world: World): Promise<void> {
  const { code, stderr } = await pull(world).ended;
  assert.is(code, 0, stderr);
  assert.equal(await world.served(), ['1.0', '1.1', '1.2', '1.3']);
  const names = await readdir(path.dirname(world.folder), { recursive: true });
  assert.equal(
    names.filter((name) => path.basename(name).startsWith('.')),
    [],
  );
}

test('a round that is killed at any moment is taken up by the next', async () => {
  await withWorld({}, async (world) => {
    await commitMany(world);
    for (const moment of [/to add/, /1\.0: /, /1\.2: /, /1\.3: /, /1 game, /]) {
      const running = pull(world);
      await running.printed(moment).catch(() => {});
      running.child.kill('SIGKILL');
      await running.ended;
    }
    await expectAll(world);
  });
});

test('of two pulls at once, one says that the other works', async () => {
  await withWorld({}, async (world) => {
    await commitMany(world);
    const both = await Promise.all([pull(world).ended, pull(world).ended]);
    const refused = both.filter(({ stderr }) => /another gamedata pull works in data\//.test(stderr));
    assert.ok(refused.length <= 1);
    assert.equal(both.map(({ code }) => code).sort(), refused.length === 1 ? [0, 1] : [0, 0]);
    await expectAll(world);
  });
});

test('what a person decides during a round counts in it, and is not lost', async () => {
  await withWorld({}, async (world) => {
    await world.commit('1.0', 1);
    assert.is((await pull(world).ended).code, 0);
    for (const at of [1, 2, 3]) await world.commit(`1.${at}`, at + 1, { 'units.json': units(NAMES, at) });
    const decided = { '1.0': { take: true }, '1.3': { skip: true } };
    const server = await serveRepositories(world.cwd);
    // The round has read the state when it asks upstream, and waits for the response.
    server.fault = async () => {
      if (server.requests.length > 1) return undefined;
      // Two people decide at once.
      const decide = async (some: object) =>
        await (await GameState.read(world.folder)).change(({ builds }) => Object.assign(builds, some));
      await Promise.all(Object.entries(decided).map(([build, each]) => decide({ [build]: each })));
      return undefined;
    };
    const git = `${server.address}/up/.git`;
    await world.edit((game) => Object.assign(game.source as object, { git }));
    const { code, stderr } = await pull(world).ended;
    assert.equal([code, await world.served()], [0, ['1.0', '1.1', '1.2']], stderr);
    const { '1.0': _, ...left } = decided;
    assert.equal((await world.state()).builds, decided);
    assert.is((await pull(world).ended).code, 0);
    assert.equal((await world.state()).builds, left);
    await server.close();
  });
});

test('SIGTERM ends a pull after the build at which it is, and what is left needs another', async () => {
  await withWorld({}, async (world) => {
    await commitMany(world);
    // It gets the signal while it adds a build.
    const env = interruptAt({ signal: 'SIGTERM', step: 1, file: 'data/game/1.1/build.json' });
    const args = ['pull', '--build', '--allow-local'];
    const { code, stderr } = await startCommand('gamedata', args, { cwd: world.cwd, env }).ended;
    assert.is(code, 1);
    assert.match(stderr, /^ended before game could be pulled$/m);
    const running = pull(world, '--watch');
    await running.printed(/to add/);
    running.child.kill('SIGTERM');
    assert.is((await running.ended).code, 0);
    await expectAll(world);
  });
});

scenario('what pull only tries is removed, and a build of a person never', {}, async (world) => {
  await world.commit('1.1', 3, { 'units.json': units(['Ann', 'Bob']) });
  const unwritten = await world.run(4, 'pull', '--allow-local', '--reviews', 'up/units.json/x');
  assert.equal([unwritten.code, (await readdir(world.folder)).includes('1.1')], [1, false]);
  const lock = path.join(world.folder, '.adding.lock');
  await mkdir(lock);
  assert.is((await world.run(5, 'pull', '--allow-local')).code, 1);
  await rm(lock, { recursive: true });
  const add = ['add', 'game', '1.1', '--from', 'up', '--released-at', day(3), '--note', 'Mine.'];
  assert.is((await world.run(5, ...add)).code, 0);
  await see(world, 6);
  assert.match(await readFile(path.join(world.folder, '1.1/build.json'), 'utf8'), 'Mine.');
});

scenario(
  'a moved path, a branch that is gone and unnamed commits are failures of the game, told once',
  {},
  async (world) => {
    await world.upstream.commit('Something else', day(3), { 'units.json': units(NAMES, 3) });
    const unnamed = await see(world, 4);
    assert.equal([unnamed.code, unnamed.kinds], [1, ['failing']]);
    assert.match(unnamed.texts, /\("Something else"\) changes files of the game and names no build/);
    await world.commit('1.1', 5, { 'units.json': units(NAMES, 4) });
    const well = await see(world, 6);
    assert.equal([well.code, well.kinds], [0, []]);
    assert.match(well.stdout, 'data/game/1.1: 0 new, 1 changed');
    assert.is((await see(world, 6.1)).stdout, '');
    await world.edit((game) => Object.assign(game.source as object, { branch: 'gone' }));
    const gone = await see(world, 7);
    assert.match(
      gone.stderr,
      /cannot be fetched: .*refs\/heads\/gone; the branch is gone .*correct "branch"/,
    );
    assert.equal([gone.code, gone.kinds, (await see(world, 7.1)).kinds], [1, ['failing'], []]);
  },
);

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
  // A host that is away for a round does not make what is held new.
  await rename(path.join(world.cwd, 'up'), path.join(world.cwd, 'away'));
  assert.equal((await see(world, 5.7)).kinds, ['failing']);
  await rename(path.join(world.cwd, 'away'), path.join(world.cwd, 'up'));
  assert.equal((await see(world, 5.8)).kinds, []);
  const saved = path.join(world.cwd, 'var/upstream/pull.json');
  await rm(saved);
  await mkdir(saved);
  assert.match((await see(world, 5.9)).stderr, /^this is not reported: EISDIR/m);
});

scenarios.run();
