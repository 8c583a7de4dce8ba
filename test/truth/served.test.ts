import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { manyRecords } from '../scripts/check/cases.ts';
import { type Files, inFolder, withFolder } from '../support/fixtures.ts';
import { pullBuilds } from './served.ts';

const test = suite('which builds of a history are served with no person');

/** What heroes have in a build, by their number. */
type Hero = (index: number) => { regen: number; hp: number; legs: number };
const usual: Hero = (index) => ({ regen: 0.9, hp: 1000 + index * 37, legs: 2 + (index % 3) });
const withoutRegen: Hero = (index) => ({ ...usual(index), regen: 0 });
const stronger: Hero = (index) => ({ ...withoutRegen(index), hp: 1500 + index * 53 });
const tougher: Hero = (index) => ({ ...withoutRegen(index), hp: 1700 + index * 71 });
const withoutLegs: Hero = (index) => ({ ...tougher(index), legs: 0 });

/** Pulls builds of 30 heroes, by their days; returns those that are never served. */
async function findUnserved(history: Readonly<Record<string, Hero>>): Promise<string[]> {
  const files: Files = { 'game.json': { title: 'Game' } };
  for (const [day, hero] of Object.entries(history)) {
    const heroes = manyRecords(30, (index): JsonObject => {
      const { legs, ...stats } = hero(index);
      return { legs, stats: { ...stats, atk: 50 + index * 3 } };
    });
    const content = { 'build.json': { released_at: day }, 'characters.json': heroes };
    Object.assign(files, inFolder(day, { ...content, 'pull_planner.json': { currency: 'Gem' } }));
  }
  return await withFolder(inFolder('game', files), async (folder) => {
    const pulled = await pullBuilds(path.join(folder, 'game'), 'game');
    return pulled.flatMap(({ build, days }) => (days === undefined ? [build] : []));
  });
}

test('a patch that takes a stat from all heroes is served, although the next patches change other stats', async () => {
  const history = {
    '2018-10-17': usual,
    '2018-10-30': usual,
    '2018-11-20': withoutRegen,
    '2018-11-21': withoutRegen,
    '2018-11-29': withoutRegen,
    '2018-12-10': withoutRegen,
    '2019-01-31': stronger,
    '2019-02-21': stronger,
    '2019-03-06': stronger,
    '2019-03-20': tougher,
    '2019-04-20': tougher,
    '2019-05-25': tougher,
  };
  assert.equal(await findUnserved(history), []);
});

test('a stat that upstream lost is never served, if upstream mends it, however many builds it makes until then', async () => {
  const days = ['10', '11', '12', '13', '14', '15', '16', '17', '18'].map((day) => `2019-05-${day}`);
  const lost = Object.fromEntries(days.map((day) => [day, withoutLegs]));
  assert.equal(await findUnserved({ '2019-05-01': tougher, ...lost, '2019-06-20': tougher }), days);
});

test.run();
