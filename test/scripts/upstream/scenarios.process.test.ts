import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { withPrograms } from '../../support/skip.ts';
import { day, gear, NAMES, removeUpstream, scenariosOf, see, units } from './pull-world.ts';

const scenarios = suite('upstream that misbehaves');
const test = withPrograms(scenarios, 'git');
const scenario = scenariosOf(test);

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
    assert.match(broken.texts, /1\.1 is held back: records-lost.*--take 1\.1/s);
    assert.match(await readFile(path.join(world.cwd, 'var/reviews/game-1.1.md'), 'utf8'), /records-lost/);
    const again = await see(world, 4.1);
    assert.equal([again.code, again.kinds], [1, []]);
    await world.commit('1.2', 5, { 'units.json': units(NAMES, 5) });
    const passed = await see(world, 6);
    // Nothing waits for a person: a later build passed.
    assert.equal([passed.code, passed.served], [0, ['1.0', '1.2']]);
  },
);

scenario('a person accepts a held build with one command', {}, async (world) => {
  await world.commit('1.1', 3, { 'units.json': units(['Ann', 'Bob', 'Cid', 'Dan']) });
  assert.is((await see(world, 4)).code, 1);
  assert.is((await world.run(5, 'pull', 'game', '--take', '1.1')).code, 0);
  const accepted = await see(world, 5);
  assert.equal([accepted.code, accepted.served], [0, ['1.0', '1.1']], accepted.stderr);
});

scenario('two builds that are held for the same can both be accepted', {}, async (world) => {
  const few = NAMES.slice(0, 4);
  await world.commit('1.1', 3, { 'units.json': units(few) });
  await world.commit('1.2', 3.5, { 'units.json': units(few, 1) });
  assert.is((await see(world, 4)).code, 1);
  for (const build of ['1.1', '1.2']) await world.run(5, 'pull', 'game', '--take', build);
  const accepted = await see(world, 5);
  assert.equal([accepted.code, accepted.served], [0, ['1.0', '1.1', '1.2']], accepted.stderr);
});

scenario(
  'a file that cannot be read cannot be accepted, and is served once it is mended',
  {},
  async (world) => {
    await world.commit('1.1', 3, { 'units.json': '{' });
    assert.is((await see(world, 4)).code, 1);
    assert.is((await world.run(5, 'pull', 'game', '--take', '1.1')).code, 0);
    assert.equal((await see(world, 5)).served, ['1.0']);
    await world.commit('1.1', 6, { 'units.json': units(NAMES, 1) });
    const mended = await see(world, 7);
    assert.equal([mended.code, mended.served], [0, ['1.0', '1.1']], mended.stderr);
  },
);

scenario('questions of a dataset that one answer settles are accepted together', {}, async (world) => {
  await world.edit(({ datasets }) => {
    const { gear } = datasets as { gear: { entry: string } };
    gear.entry = "{'id': id, 'name': name, 'power': power, 'weight': weight, 'size': size}";
  });
  const rows = (times: number) =>
    (gear() as JsonObject[]).map((row, at) => ({
      ...row,
      power: (10 + at) * times,
      weight: (30 + at) * times,
      size: (90 + at) / times,
    }));
  for (const [at, on] of [3, 7, 12, 16, 20].entries())
    await world
      .commit(`1.${at + 1}`, on, { 'units.json': units(NAMES, at + 1), 'gear.json': rows(at > 0 ? 10 : 1) })
      .then(() => see(world, on + 1));
  assert.equal(await world.served(), ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']);
  assert.equal((await world.newest('gear'))[0]?.power, 100);
});

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
    await world.commit('1.2', 12, odd(0));
    await world.commit('1.3', 20, odd(0));
    // A report of the day before waits until day 40, and what is accepted then waits for the next.
    world.hook.status = 500;
    await see(world, 5.5);
    world.hook.status = 204;
    await see(world, 40);
    const accepted = await see(world, 41);
    assert.ok(accepted.served.includes('1.1'), accepted.stderr);
    assert.match(accepted.texts, /1\.1 is accepted/);
  },
);

scenario(
  'renames in the roster and a column of a dataset that vanishes do not wait for each other',
  {},
  async (world) => {
    await world.edit(({ datasets }) => {
      const gear = (datasets as { gear: { entry: string } }).gear;
      gear.entry = "{'id': id, 'name': name, 'power': power, 'character': unit}";
    });
    const all = [...NAMES, ...'Kay Lea Max Nia Oda Pia Qua Ros Sam Tia'.split(' ')];
    const owned = (gear() as JsonObject[]).map((row) => ({ ...row, unit: 'ann' }));
    await world.commit('1.1', 3, { 'units.json': units(all), 'gear.json': owned });
    assert.is((await see(world, 4)).code, 0);
    const renamed = Object.entries(units(all)).map(([key, row], at) => [
      key,
      at < 8 ? { ...(row as object), name: `New ${all[at]}` } : row,
    ]);
    const files = { 'units.json': Object.fromEntries(renamed), 'gear.json': gear() };
    const rounds = [];
    for (const [at, build] of ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'].entries()) {
      await world.commit(build, 10 + at * 15, files);
      rounds.push(await see(world, 11 + at * 15));
    }
    const [held, , , accepted, , last] = rounds;
    assert.equal([held?.code, held?.kinds, held?.served.at(-1)], [1, ['held'], '1.1']);
    // The renames are taken up when they are old enough; the dataset is carried, and follows later.
    assert.equal([accepted?.kinds.sort(), accepted?.served.at(-1)], [['accepted', 'carried'], '1.5']);
    assert.match(accepted?.texts ?? '', /values-changed characters\.name.*values-lost gear\.character/s);
    assert.equal([last?.code, last?.kinds, last?.served.at(-1)], [0, ['accepted'], '1.7'], last?.stderr);
    const [[unit], [piece]] = [await world.newest(), await world.newest('gear')];
    assert.equal([unit?.name, piece?.character], ['New Ann', undefined]);
  },
);

scenario('a file that is split holds the build, until the tables name its parts', {}, async (world) => {
  await removeUpstream(world, 'units.json');
  const [first, second] = [units(NAMES.slice(0, 5)), units(NAMES.slice(5))];
  await world.upstream.commit('Update 1.1', day(3), { 'units-1.json': first, 'units-2.json': second });
  const held = await see(world, 4);
  assert.equal([held.code, held.served], [1, ['1.0']]);
  assert.match(held.texts, /units/);
  const tables = { units: null, first: 'units-1.json', second: 'units-2.json' };
  const roster = { from: ['first', 'second'], entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" };
  await world.edit((game) => Object.assign(game, { changes: [{ from: '1.1', tables, roster }] }));
  const mapped = await see(world, 5);
  assert.equal([mapped.code, mapped.served], [0, ['1.0', '1.1']], mapped.stderr);
});

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
  for (const name of ['Units.json', 'gear.json']) await removeUpstream(world, name);
  await symlink('nothing.json', path.join(world.upstream.folder, 'units.json'));
  await world.upstream.git(['add', '--all']);
  await world.upstream.git(['commit', '--quiet', '--message', 'Update 1.3'], day(7));
  const alone = await see(world, 8);
  assert.match(
    alone.stderr,
    /1\.3 is left out: .* has no file of the tables; units\.json is a link upstream now/,
  );
});

scenario('two builds of one second are both served, in the order of upstream', {}, async (world) => {
  await world.commit('1.b', 3, { 'units.json': units(NAMES, 1) });
  await world.commit('1.a', 3, { 'units.json': units(NAMES, 2) });
  const both = await see(world, 4);
  assert.equal([both.code, both.served], [0, ['1.0', '1.b', '1.a']], both.stderr);
  // As after npm start, only the newest build has other formats: so it has after a pull.
  await world.run(5, 'build', '--allow-local', '--formats', 'csv', '--formats-of', '1');
  await world.commit('1.c', 6, { 'units.json': units(NAMES, 3) });
  await see(world, 7);
  const builds = (await world.manifest())?.builds ?? [];
  assert.equal(
    builds.map(({ bulk }) => bulk !== undefined),
    [false, false, false, true],
  );
});

scenarios.run();
