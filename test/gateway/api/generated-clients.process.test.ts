import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCommand } from '../../support/command.ts';
import { startGateway } from '../../support/harness.ts';
import { DATA } from '../../support/paths.ts';
import { sampleOf } from '../../support/random.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';
import {
  callAllWithFetch,
  callAllWithHeyApi,
  MODULES,
  makeTypes,
  openWorkshop,
  runBundled,
  runProgram,
  runTool,
  type Workshop,
} from './generated-clients.ts';

const clients = suite<Workshop>('generated clients');
clients.before(async (context) => {
  const gateway = await startGateway(TYPED_GAMES, { formats: ['csv'] });
  const folder = await mkdtemp(path.join(tmpdir(), 'generated-'));
  const documents = { saga: '/openapi/saga.json', all: '/openapi.json' };
  Object.assign(context, await openWorkshop(gateway, folder, documents));
});
clients.after(async ({ gateway, folder }) => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

/** Registers a test that needs the large generators. */
function testLarge(name: string, run: (context: Workshop) => Promise<void>): void {
  if (existsSync(MODULES)) {
    clients(name, run);
    return;
  }
  process.stdout.write(`skipped without the generators of clients: ${name}\n`);
  clients.skip(name, run);
}

/** What each program prints: the attacks of the filtered characters, the names on the second page, the cost of a skill, an error. */
const EXPECTED = [[10.5], ['Bob'], 1, 'invalid-parameter'];

clients('of openapi-typescript and openapi-fetch filter, page and read typed records', async (context) => {
  await makeTypes(context, 'saga.json', 'fetch-saga.ts');
  const printed = await runProgram(
    context,
    'openapi-fetch',
    `import createClient from 'openapi-fetch';
import type { paths } from './fetch-saga';
const { GET } = createClient<paths>({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });
const found = await GET('/api/saga/characters', { params: { query: { element: ['fire', 'ice'], 'stats.atk[gte]': 4, rarity: [5], 'skills[m].name': ['Cut'], 'skills[m].cost[lte]': 1 } } });
const second = await GET('/api/saga/characters', { params: { query: { sort: 'id', limit: 1, offset: 1 } } });
const ann = await GET('/api/saga/characters/{id}', { params: { path: { id: 'ann' } } });
const wrong = await GET('/api/saga/characters', { params: { query: { sort: 'power' } } });
const attacks: (number | undefined)[] = (found.data?.characters ?? []).map(({ stats }) => stats?.atk);
console.log(JSON.stringify([attacks, second.data?.characters.map(({ name }) => name), ann.data?.skills[0]?.cost, wrong.error?.code]));
`,
  );
  assert.equal(printed, EXPECTED);
});

testLarge('of @hey-api/openapi-ts filter, page and read typed records', async (context) => {
  await runTool(context.large, 'openapi-ts', '-i', 'saga.json', '-o', 'hey');
  const printed = await runBundled(
    context,
    'hey-api',
    `import { client } from './hey/client.gen';
import { getCharacter, listCharacters } from './hey/sdk.gen';
client.setConfig({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });
const found = await listCharacters({ query: { element: ['fire', 'ice'], 'stats.atk[gte]': 4, rarity: [5] } });
const second = await listCharacters({ query: { sort: 'id', limit: 1, offset: 1 } });
const ann = await getCharacter({ path: { id: 'ann' } });
const wrong = await listCharacters({ query: { sort: 'power' } });
const attacks: (number | undefined)[] = (found.data?.characters ?? []).map(({ stats }) => stats?.atk);
console.log(JSON.stringify([attacks, second.data?.characters.map(({ name }) => name), ann.data?.skills[0]?.cost, wrong.error && 'code' in wrong.error ? wrong.error.code : '']));
`,
  );
  assert.equal(printed, EXPECTED);
});

testLarge('of orval filter, page and read typed records', async (context) => {
  await writeFile(
    path.join(context.large, 'orval.config.mjs'),
    `export default { saga: { input: './saga.json', output: { target: 'orval-saga.ts', client: 'fetch' } } };`,
  );
  await runTool(context.large, 'orval');
  const printed = await runBundled(
    context,
    'orval',
    `import { getCharacter, listCharacters } from './orval-saga';
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(ADDRESS + path, init);
const init = { headers: { 'X-API-Key': KEY } };
const found = await listCharacters({ element: ['fire', 'ice'], 'stats.atk[gte]': 4, rarity: [5] }, init);
const second = await listCharacters({ sort: 'id', limit: 1, offset: 1 }, init);
const ann = await getCharacter('ann', {}, init);
const wrong = await listCharacters({ sort: 'power' }, init);
const attacks: (number | undefined)[] = found.status === 200 ? found.data.characters.map(({ stats }) => stats?.atk) : [];
const names = second.status === 200 ? second.data.characters.map(({ name }) => name) : [];
console.log(JSON.stringify([attacks, names, ann.status === 200 && ann.data.skills[0]?.cost, wrong.status === 400 && wrong.data.code]));
`,
  );
  assert.equal(printed, EXPECTED);
});

clients('of the document of all games filter as well', async (context) => {
  await makeTypes(context, 'all.json', 'fetch-all.ts');
  const printed = await runProgram(
    context,
    'openapi-fetch-all',
    `import createClient from 'openapi-fetch';
import type { paths } from './fetch-all';
const { GET } = createClient<paths>({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });
const query = { filter: ['element=fire', 'rarity[gte]=5'], fields: ['id'], limit: 5 };
const { data } = await GET('/api/{game}/characters', { params: { path: { game: 'saga' }, query } });
console.log(JSON.stringify(data?.characters));
`,
  );
  assert.equal(printed, [{ id: 'ann' }]);
});

/** The list is empty, so that no id exists. */
const FAILED = ['/api/saga/events/ann unknown-record'];

clients('of a game call every operation with every parameter, by openapi-fetch', async (context) => {
  const { calls, good, failed } = await callAllWithFetch(context, 'saga');
  assert.equal({ good, failed }, { good: calls - FAILED.length, failed: FAILED });
});

testLarge('of a game call every operation with every parameter, by @hey-api/openapi-ts', async (context) => {
  const { calls, good, failed } = await callAllWithHeyApi(context, 'saga');
  assert.equal({ good, failed }, { good: calls - FAILED.length, failed: FAILED });
});

/** How many games of data/ are tried, unless all are. */
const SOME = 1;

clients('of the games in data/ call every operation with every parameter', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'generated-shipped-'));
  const all = (await readdir(DATA, { withFileTypes: true })).flatMap((each) =>
    each.isDirectory() ? each.name : [],
  );
  const games = sampleOf(all, SOME);
  const data = path.join(folder, 'data');
  for (const game of games) await cp(path.join(DATA, game), path.join(data, game), { recursive: true });
  const built = path.join(folder, 'built');
  const options = [
    '--data',
    data,
    '--out',
    built,
    '--cache',
    path.join(folder, 'cache'),
    '--coverage',
    'none',
  ];
  const formats = ['--formats', 'csv', '--formats-of', '1'];
  const { code, stderr } = await startCommand('gamedata', ['build', ...games, ...options, ...formats]).ended;
  assert.is(code, 0, stderr);
  const gateway = await startGateway(TYPED_GAMES, {
    start: Date.now(),
    prepare: async (dist) => {
      await rm(dist, { recursive: true });
      await rename(built, dist);
    },
  });
  try {
    await mkdir(path.join(folder, 'clients'));
    const documents = Object.fromEntries(games.map((game) => [game, `/openapi/${game}.json`]));
    const workshop = await openWorkshop(gateway, path.join(folder, 'clients'), documents);
    for (const game of games) {
      for (const callAll of [callAllWithFetch, ...(existsSync(MODULES) ? [callAllWithHeyApi] : [])]) {
        const { calls, good, failed } = await callAll(workshop, game);
        process.stdout.write(`${game}: ${calls} calls by ${callAll.name}\n`);
        assert.equal([good, failed], [calls, []], game);
      }
    }
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true });
  }
});

testLarge('linters find nothing in the documents', async ({ large: folder }) => {
  await writeFile(path.join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}');
  // In the document of all games some paths have names where others have parameters: the names win.
  await writeFile(
    path.join(folder, 'redocly.yaml'),
    'extends: [recommended]\nrules:\n  no-ambiguous-paths: off\n',
  );
  await runTool(
    folder,
    'spectral',
    'lint',
    'saga.json',
    'all.json',
    '-r',
    '.spectral.json',
    '--fail-severity',
    'hint',
  );
  const lint = async (file: string, ...options: string[]) => {
    const { stdout, stderr } = await runTool(folder, 'redocly', 'lint', file, ...options);
    assert.not.match(stdout + stderr, /\d warning/, file);
  };
  await lint('saga.json', '--extends', 'recommended');
  await lint('all.json', '--config', 'redocly.yaml');
});

clients.run();
