import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileOf } from '../../../scripts/dist/plan.ts';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import type { Index, Manifest } from '../../../scripts/format/dist-format.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';
import { until } from '../../support/until.ts';

const old = suite<{ gateway: TestGateway }>('a build of the version before, without a dictionary');
old.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
  await writeAsBefore(context.gateway.dist);
  const { gateway } = context;
  await until(async () => !/"description"/.test((await gateway.ask('/api/saga/attributes')).text));
});
old.after(({ gateway }) => gateway.stop());

/** Takes out of dist/ what the version before did not write: dictionaries, aliases, and the language of names. */
async function writeAsBefore(dist: string): Promise<void> {
  const index = JSON.parse(await readFile(path.join(dist, 'index.json'), 'utf8')) as Index;
  for (const game of index.games) {
    const manifest = JSON.parse(await readFile(path.join(dist, game.manifest.file), 'utf8')) as Manifest;
    const { language: _, ...kept } = manifest;
    const builds = manifest.builds.map(({ attributes: _attributes, aliases: _aliases, ...build }) => build);
    const bytes = Buffer.from(JSON.stringify({ ...kept, builds }));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    game.manifest = { file: fileOf(game.slug, 'manifest', sha256), bytes: bytes.length, sha256 };
    await writeFile(path.join(dist, game.manifest.file), bytes);
  }
  await writeFile(path.join(dist, 'index.json'), JSON.stringify(index));
}

old('has what the data shows of its attributes', async ({ gateway }) => {
  const { attributes } = (await gateway.ask('/api/saga/attributes')).json<{ attributes: Attribute[] }>();
  const attack = attributes.find(({ key }) => key === 'stats.atk');
  assert.equal(attack, {
    ...{ key: 'stats.atk', type: 'number', list: false, count: 2, distinct: 2, min: 3, max: 10.5 },
    examples: [3, 10.5],
    optional: true,
  });
  for (const dataset of ['timeline', 'costs', 'events', 'pull_planner']) {
    assert.is((await gateway.ask(`/api/saga/${dataset}/attributes`)).status, 200, dataset);
  }
});

for (const [address, expected] of [
  ['characters?fields=name&element=fire', '"characters":[{"id":"ann","name":"Ann"}]'],
  ['characters?q=an&fields=id', '"characters":[{"id":"ann"}]'],
  ['characters?skills[m].name=Cut&skills[m].cost=1&fields=id', '"characters":[{"id":"ann"}]'],
  ['characters?lang=ja&ids=ann&fields=name', '{"id":"ann","name":"アン"}'],
  ['characters/ann?fields=rarity', '{"id":"ann","rarity":5}'],
  ['timeline/t1', '"who":"ann"'],
  ['names', '{"id":"ann","name":"Ann","name_ja":"アン"}'],
  [
    'facets?ids=element',
    '"values":[{"value":"air","count":1},{"value":"fire","count":1},{"value":"ice","count":1}]',
  ],
  ['facets?ids=name&lang=ja', '{"value":"Ann","label":"アン","count":1}'],
  ['timeline/facets?ids=year', '"min":3,"max":4'],
] as const) {
  old(`responds to ${address}`, async ({ gateway }) => {
    const { status, text } = await gateway.ask(`/api/saga/${address}`);
    assert.is(status, 200, text);
    assert.ok(text.includes(expected), text);
  });
}

old('is found by a search over all games, and has a document with its filters', async ({ gateway }) => {
  assert.match((await gateway.ask('/api/search?q=ann')).text, '"id":"ann"');
  const { paths } = (await gateway.ask('/openapi/saga.json', { key: null })).json<{
    paths: Record<string, { get: { parameters: { name: string }[] } }>;
  }>();
  const names = paths['/api/saga/characters']?.get.parameters.map(({ name }) => name) ?? [];
  for (const name of ['element', 'stats.atk[gte]']) assert.ok(names.includes(name), name);
});

old.run();
