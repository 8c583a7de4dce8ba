import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, startProcess } from '../../../support/command.ts';
import { startGateway, type TestGateway } from '../../../support/harness.ts';
import { openApiTypescript } from '../../../support/openapi-typescript.ts';
import { ROOT } from '../../../support/paths.ts';
import { TYPED_GAMES } from '../../../support/typed-games.ts';

interface Context {
  gateway: TestGateway;
  /** A folder with the documents and openapi-fetch, and one with all generators. */
  folder: string;
  large: string;
}

/** Small ones are packages of the project. */
const OPENAPI_TYPESCRIPT = openApiTypescript();
const OPENAPI_FETCH = path.join(ROOT, 'node_modules/openapi-fetch');
/** Where `npm run generators` installs the others, which are large. */
const MODULES = path.join(ROOT, 'var/generators/node_modules');
const TSC = path.join(ROOT, 'node_modules/.bin/tsc');

const COMPILER_OPTIONS = {
  ...{ strict: true, skipLibCheck: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] },
  ...{ module: 'esnext', moduleResolution: 'bundler', types: [], rootDir: '.', outDir: 'out' },
};

const clients = suite<Context>('generated clients');
clients.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
  context.folder = await mkdtemp(path.join(tmpdir(), 'generated-'));
  context.large = path.join(context.folder, 'large');
  await mkdir(context.large);
  await mkdir(path.join(context.folder, 'node_modules'));
  await symlink(OPENAPI_FETCH, path.join(context.folder, 'node_modules/openapi-fetch'));
  await symlink(MODULES, path.join(context.large, 'node_modules'));
  await writeFile(path.join(context.folder, 'package.json'), '{"type":"module"}');
  for (const [file, address] of Object.entries({ saga: '/openapi/saga.json', all: '/openapi.json' })) {
    const { text } = await context.gateway.ask(address, { key: null });
    for (const folder of [context.folder, context.large])
      await writeFile(path.join(folder, `${file}.json`), text);
  }
});
clients.after(async ({ gateway, folder }) => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

/** Registers a test that needs the large generators. */
function testLarge(name: string, run: (context: Context) => Promise<void>): void {
  if (existsSync(MODULES)) {
    clients(name, run);
    return;
  }
  process.stdout.write(`skipped without the generators of clients: ${name}\n`);
  clients.skip(name, run);
}

/** Runs a program in a folder; it must succeed. */
async function run(folder: string, program: string, ...args: string[]): Promise<Ended> {
  const ended = await startProcess(program, args, {
    cwd: folder,
    env: { DO_NOT_TRACK: '1', SCARF_ANALYTICS: 'false', REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' },
  }).ended;
  assert.is(ended.code, 0, `${program} ${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`);
  return ended;
}

/** Runs one of the large generators. */
const runTool = (folder: string, name: string, ...args: string[]) =>
  run(folder, path.join(MODULES, '.bin', name), ...args);

/** Compiles a program that uses a generated client, in the folder of the client. */
async function compile({ gateway }: Context, folder: string, name: string, program: string): Promise<void> {
  const constants = { ADDRESS: gateway.address, KEY: gateway.keys.pro };
  const head = Object.entries(constants).map(
    ([key, value]) => `const ${key}: string = ${JSON.stringify(value)};\n`,
  );
  await writeFile(path.join(folder, `${name}.ts`), head.join('') + program);
  const config = { compilerOptions: COMPILER_OPTIONS, files: [`${name}.ts`] };
  await writeFile(path.join(folder, `${name}.json`), JSON.stringify(config));
  await run(folder, TSC, '-p', `${name}.json`);
}

/** Compiles a program with openapi-fetch, runs it, and returns what it prints, as JSON. */
async function runProgram(context: Context, name: string, program: string): Promise<unknown> {
  await compile(context, context.folder, name, program);
  return JSON.parse((await run(context.folder, process.execPath, `out/${name}.js`)).stdout);
}

/** The same with a client that has to be bundled, as its modules import each other without extensions. */
async function runBundled(context: Context, name: string, program: string): Promise<unknown> {
  await compile(context, context.large, name, program);
  const bundle = ['--bundle', '--format=esm', `--outfile=${name}.mjs`, '--log-level=warning'];
  await runTool(context.large, 'esbuild', `${name}.ts`, ...bundle);
  return JSON.parse((await run(context.large, process.execPath, `${name}.mjs`)).stdout);
}

/** What each program prints: the attacks of the filtered characters, the names on the second page, the cost of a skill, an error. */
const EXPECTED = [[10.5], ['Bob'], 1, 'invalid-parameter'];

clients('of openapi-typescript and openapi-fetch filter, page and read typed records', async (context) => {
  await run(context.folder, process.execPath, ...OPENAPI_TYPESCRIPT, 'saga.json', '-o', 'fetch-saga.ts');
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
  await run(context.folder, process.execPath, ...OPENAPI_TYPESCRIPT, 'all.json', '-o', 'fetch-all.ts');
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
