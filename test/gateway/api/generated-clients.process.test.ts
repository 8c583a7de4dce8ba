import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, startProcess } from '../../support/command.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROOT } from '../../support/paths.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

interface Context {
  gateway: TestGateway;
  folder: string;
}

/** Where `npm run generators` installs them. */
const MODULES = path.join(ROOT, 'var/generators/node_modules');

const COMPILER_OPTIONS = {
  ...{
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
  },
  ...{ module: 'esnext', moduleResolution: 'bundler', types: [] },
};

const clients = suite<Context>('generated clients');
clients.before(async (context) => {
  if (!existsSync(MODULES)) return;
  context.gateway = await startGateway(TYPED_GAMES);
  context.folder = await mkdtemp(path.join(tmpdir(), 'generated-'));
  await symlink(MODULES, path.join(context.folder, 'node_modules'));
  for (const [file, address] of Object.entries({ saga: '/openapi/saga.json', all: '/openapi.json' })) {
    const { text } = await context.gateway.ask(address, { key: null });
    await writeFile(path.join(context.folder, `${file}.json`), text);
  }
});
clients.after(async ({ gateway, folder }) => {
  await gateway?.stop();
  if (folder) await rm(folder, { recursive: true });
});

/** Registers a test that needs the generators. */
function test(name: string, run: (context: Context) => Promise<void>): void {
  if (existsSync(MODULES)) {
    clients(name, run);
    return;
  }
  process.stdout.write(`skipped without the generators of clients: ${name}\n`);
  clients.skip(name, run);
}

/** Runs a program of the generators. */
async function runTool(folder: string, name: string, ...args: string[]): Promise<Ended> {
  const ended = await startProcess(path.join(MODULES, '.bin', name), args, {
    cwd: folder,
    env: { DO_NOT_TRACK: '1', SCARF_ANALYTICS: 'false', REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' },
  }).ended;
  assert.is(ended.code, 0, `${name} ${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`);
  return ended;
}

/** Compiles a program that uses a generated client, runs it, and returns what it prints, as JSON. */
async function runProgram({ folder, gateway }: Context, name: string, program: string): Promise<unknown> {
  const constants = { ADDRESS: gateway.address, KEY: gateway.keys.pro };
  const head = Object.entries(constants).map(
    ([key, value]) => `const ${key}: string = ${JSON.stringify(value)};\n`,
  );
  await writeFile(path.join(folder, `${name}.ts`), head.join('') + program);
  const config = { compilerOptions: COMPILER_OPTIONS, files: [`${name}.ts`] };
  await writeFile(path.join(folder, `${name}.json`), JSON.stringify(config));
  await runTool(folder, 'tsc', '-p', `${name}.json`);
  const bundle = ['--bundle', '--format=esm', `--outfile=${name}.mjs`, '--log-level=warning'];
  await runTool(folder, 'esbuild', `${name}.ts`, ...bundle);
  const { code, stdout, stderr } = await startProcess(process.execPath, [`${name}.mjs`], { cwd: folder })
    .ended;
  assert.is(code, 0, stderr);
  return JSON.parse(stdout);
}

/** What each program prints: the attacks of the filtered characters, the names on the second page, the cost of a skill, an error. */
const EXPECTED = [[10.5], ['Bob'], 1, 'invalid-parameter'];

test('of openapi-typescript and openapi-fetch filter, page and read typed records', async (context) => {
  await runTool(context.folder, 'openapi-typescript', 'saga.json', '-o', 'fetch-saga.ts');
  const printed = await runProgram(
    context,
    'openapi-fetch',
    `import createClient from 'openapi-fetch';
import type { paths } from './fetch-saga';
const { GET } = createClient<paths>({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });
const found = await GET('/api/saga/characters', { params: { query: { element: ['fire', 'ice'], 'stats.atk[gte]': 4, rarity: [5] } } });
const second = await GET('/api/saga/characters', { params: { query: { sort: 'id', limit: 1, offset: 1 } } });
const ann = await GET('/api/saga/characters/{id}', { params: { path: { id: 'ann' } } });
const wrong = await GET('/api/saga/characters', { params: { query: { sort: 'power' } } });
const attacks: (number | undefined)[] = (found.data?.characters ?? []).map(({ stats }) => stats?.atk);
console.log(JSON.stringify([attacks, second.data?.characters.map(({ name }) => name), ann.data?.skills[0]?.cost, wrong.error?.code]));
`,
  );
  assert.equal(printed, EXPECTED);
});

test('of @hey-api/openapi-ts filter, page and read typed records', async (context) => {
  await runTool(context.folder, 'openapi-ts', '-i', 'saga.json', '-o', 'hey');
  const printed = await runProgram(
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

test('of orval filter, page and read typed records', async (context) => {
  await writeFile(
    path.join(context.folder, 'orval.config.mjs'),
    `export default { saga: { input: './saga.json', output: { target: 'orval-saga.ts', client: 'fetch' } } };`,
  );
  await runTool(context.folder, 'orval');
  const printed = await runProgram(
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

test('of the document of all games filter as well', async (context) => {
  await runTool(context.folder, 'openapi-typescript', 'all.json', '-o', 'fetch-all.ts');
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

test('linters find nothing in the documents', async ({ folder }) => {
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
