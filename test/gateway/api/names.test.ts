import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { type Files, gameFiles, inFolder } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';

/** Names that objects of JavaScript have without being given them. */
const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf'];

/** An object with a member of each name; `__proto__` is an own member of what JSON.parse makes. */
function named(value: (name: string, at: number) => Json): JsonObject {
  return JSON.parse(`{${NAMES.map((name, at) => `"${name}":${JSON.stringify(value(name, at))}`).join(',')}}`);
}

/** A record whose attributes, at each depth and in lists, have the names. */
function record(id: string, plus: number): JsonObject {
  // Every second record, and every second element of a list, lacks the names.
  const isBare = NAMES.indexOf(id) % 2 === 1;
  return {
    id,
    name: id,
    name_constructor: `${id} two`,
    name_ja: `${id} 二`,
    rarity: 5,
    element: id,
    ...(!isBare && named((name, at) => (at % 2 ? `${name} ${id}` : at))),
    stats: { atk: 100 + plus, ...(!isBare && named((_, at) => at)) },
    deep: named(() => named((name) => name)),
    texts: NAMES,
    levels: NAMES.map((name, at) => ({
      level: at,
      name,
      inner: [{ toString: at, valueOf: name }, { at }],
      ...(at % 2 === 0 && named((each) => `${name} ${each}`)),
    })),
  };
}

/** Spreading copies `__proto__` as an own member, and so does this. */
const records = (plus: number) => NAMES.map((name) => record(name, plus));

const meaning = { label: 'constructor', label_ja: 'valueOf', description: 'toString' };
const attributes = {
  characters: {
    ...named(() => meaning),
    element: { ...meaning, values: named(() => ({ label: 'toString', label_ja: 'valueOf' })) },
    deep: meaning,
    'deep.*': meaning,
    'levels.constructor': meaning,
  },
  constructor: { ...named(() => meaning), element: { ...meaning, values: NAMES } },
  object: { constructor: meaning },
};
/** The builds, oldest first. */
const BUILDS = ['constructor', 'toString', 'valueOf'];

const game: Files = Object.assign(
  {
    'game.json': { title: 'constructor', language: 'en' },
    'attributes.json': attributes,
    'aliases.json': { characters: aliasesOf('valueOf'), constructor: aliasesOf('toString') },
  },
  ...BUILDS.map((build, at) => ({
    [`${build}/build.json`]: {
      released_at: `2026-0${at + 1}-01`,
      // In the second build, records of both lists get each other's ids.
      ...(at === 1 && {
        renamed: { characters: { valueOf: 'valueOf2' }, constructor: { toString: 'toString2' } },
      }),
    },
    [`${build}/characters.json`]: renumber(records(at), at, 'valueOf'),
    [`${build}/constructor.json`]: renumber(records(at * 2), at, 'toString'),
    [`${build}/object.json`]: named(() => named((name) => name)),
    [`${build}/pull_planner.json`]: { cost: 160 + at },
  })),
);

function aliasesOf(renumbered: string): JsonObject {
  const list = renumber(records(0), 1, renumbered);
  return Object.fromEntries(list.map(({ id }) => [String(id), [`${id} alias`]]));
}

function renumber(list: JsonObject[], at: number, id: string): JsonObject[] {
  return list.map((each) => (at > 0 && each.id === id ? { ...each, id: `${id}2` } : each));
}

const good = gameFiles();

const test = suite<{ gateway: TestGateway }>('names that JavaScript gives to objects');
test.before(async (context) => {
  context.gateway = await startGateway({ ...inFolder('constructor', game), ...inFolder('good', good) });
});

/** Without the comparison with OpenAPI: ajv skips properties of the name `__proto__`. */
async function ask({ address, keys }: TestGateway, target: string, accept = '*/*') {
  const response = await fetch(address + target, { headers: { 'x-api-key': keys.pro, accept } });
  return { status: response.status, text: await response.text() };
}

const GAME = '/api/constructor';
const LISTS = [`${GAME}/characters`, `${GAME}/constructor`];
const PATHS = ['constructor', 'stats.constructor', 'deep.toString.valueOf', 'levels.hasOwnProperty', 'texts'];
const QUERIES = NAMES.flatMap((name) => [
  ...['', '[gte]', '[ne]', '[exists]', '[contains]'].map((operator) => `${name}${operator}=${name}`),
  ...[`sort=${name}`, `sort=-stats.${name}`, `fields=${name},deep.${name}`, `q=${name}`, `lang=${name}`],
  ...[
    `ids=${name},valueOf2`,
    `element=${name}`,
    `deep.${name}.constructor=constructor`,
    `stats.${name}[gte]=1`,
  ],
  ...[`levels.${name}=constructor ${name}`, `texts=${name}`, `${name}[${name}]=1`],
]);

/** Addresses in which * is a name. */
const TARGETS =
  `/api/*/characters ${GAME}/* ${GAME}/*/attributes ${GAME}/*/facets ${GAME}/*/* ${GAME}/characters.* ${GAME}/compare?ids=*
  ${GAME}/history/* ${GAME}/history/*/series?fields=* ${GAME}/history?lang=*&fields=* ${GAME}/snapshot/* ${GAME}/snapshot/*?format=*
  ${GAME}/bulk?format=* ${GAME}/names?lang=* ${GAME}/diff?from=*&to=* /api/good/characters?*=* /api/good/*/* /api/good/characters/*
  /api/search?games=*&q=a&lang=* /openapi/*.json /types/*.d.ts /t/*/constructor/characters.csv`.split(/\s+/);

test('are served as any others, by every route', async ({ gateway }) => {
  const ids = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf2'];
  const { text: list } = await ask(
    gateway,
    `${GAME}/characters?sort=id&fields=id,stats.__proto__,deep.toString`,
  );
  assert.equal((JSON.parse(list) as { characters: JsonObject[] }).characters.map(({ id }) => id).sort(), ids);
  for (const id of ids) {
    const { text } = await ask(gateway, `${GAME}/characters/${id}`);
    const last = BUILDS.length - 1;
    const expected = { ...record(id === 'valueOf2' ? 'valueOf' : id, last), id };
    assert.ok(isDeepStrictEqual(JSON.parse(text), expected), `${id}: ${text}`);
  }
  const targets = [
    '/api/games',
    '/openapi/constructor.json',
    '/types/constructor.d.ts',
    ...LISTS.flatMap((list) => [
      ...['', '.csv', '.ndjson', '/facets', '/attributes', '?lang=ja', '?q=constructor'].map(
        (end) => list + end,
      ),
      ...ids.filter((id) => !id.endsWith('2')).map((id) => `${list}/${id}`),
    ]),
    ...['attributes', 'facets', 'names', 'object', 'characters/random', 'history'].map(
      (end) => `${GAME}/${end}`,
    ),
    `${GAME}/compare?ids=${ids.join()}`,
    `${GAME}/compare.csv?ids=${ids.join()}`,
    ...ids.flatMap((id) => [
      `${GAME}/history/${id}`,
      `${GAME}/history/${id}/series?fields=${PATHS.slice(0, 3)}`,
    ]),
    ...BUILDS.map((build) => `${GAME}/snapshot/${build}`),
    ...BUILDS.flatMap((from) => BUILDS.map((to) => `${GAME}/diff?from=${from}&to=${to}`)),
    ...NAMES.map((name) => `/api/search?q=${name}`),
  ];
  for (const target of targets) assert.is((await ask(gateway, target)).status, 200, target);
});

test('never make a request fail with more than a problem of the client', async ({ gateway }) => {
  const targets = [
    ...LISTS.flatMap((list) => QUERIES.map((query) => `${list}?${query}`)),
    ...NAMES.flatMap((name) => TARGETS.map((target) => target.replaceAll('*', name))),
  ];
  for (const target of targets) {
    for (const accept of ['application/json', 'text/csv']) {
      const { status, text } = await ask(gateway, target, accept);
      assert.ok(status < 500, `${target} as ${accept}: ${status} ${text.slice(0, 200)}`);
    }
  }
});

test('are on every page', async ({ gateway }) => {
  const waiting = new Set([
    '/',
    '/games',
    '/games/constructor/explore',
    '/docs',
    '/status',
    '/search?q=toString',
  ]);
  for (const name of NAMES) waiting.add(`/games/${name}`).add(`/games/constructor/${name}/${name}`);
  for (const page of waiting) {
    const response = await fetch(gateway.address + page);
    const text = await response.text();
    assert.ok(response.status < 500, `${page}: ${response.status}`);
    assert.not.match(text, /\[native code\]|\[object Object\]/, page);
    for (const [, link = ''] of text.matchAll(/href="(\/games[^"#&]*)"/g)) waiting.add(link);
  }
  assert.ok(waiting.has('/games/constructor/characters/__proto__'));
  assert.ok(waiting.has('/games/constructor/patches/toString'));
});

test.run();
