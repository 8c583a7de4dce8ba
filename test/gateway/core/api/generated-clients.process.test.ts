import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

interface Parameter {
  name: string;
  in: string;
  schema: { type?: string; enum?: unknown[]; items?: Parameter['schema'] };
}

interface Operation {
  path: string;
  operationId: string;
  parameters: Parameter[];
}

/** How many parameters a call has: more would not fit into an address, or have too many labels. */
const PARAMETERS_A_CALL = 12;
/** What a call needs anyway, and values that only the data knows. Builds and ids are those of `TYPED_GAMES`. */
const REQUIRED = ['from', 'to', 'fields'];
const KNOWN: Record<string, unknown> = { q: 'a', from: '1.0', to: '1.1', build: '1.0', via: 'link' };

function givenFor({ name, schema, in: where }: Parameter, operation: Operation): unknown {
  const { path } = operation;
  if (where === 'path' && name === 'id') return path.includes('/timeline/{id}') ? 't1' : 'ann';
  if (name === 'ids') return [path.includes('/timeline') ? 't1' : 'ann'];
  const field = path.endsWith('/facets')
    ? 'type'
    : path.endsWith('/costs')
      ? 'level'
      : path.includes('/series')
        ? 'stats.atk'
        : 'id';
  if (name === 'fields') return [field];
  if (name === 'sort') return path.endsWith('/facets') ? 'type' : field;
  if (name === 'filter') return ['type=string'];
  if (name in KNOWN) return KNOWN[name];
  return exampleOf(schema);
}

function exampleOf({ type, enum: values, items }: Parameter['schema']): unknown {
  if (type === 'array' && items) return [exampleOf(items)];
  if (values) return values[0];
  return type === 'boolean' ? true : type === 'string' ? 'x' : 1;
}

/** The calls that cannot succeed: `collection` needs a format that this dist does not have, and `events` is empty. */
const FAILED = [
  '/api/saga/snapshot/1.0 invalid-parameter',
  '/api/saga/bulk invalid-parameter',
  '/api/saga/events/ann unknown-record',
];

/** Counts the calls that succeed, and keeps what the others say. */
const CHECK = `let good = 0;
const failed: string[] = [];
async function check(call: Promise<{ response?: Response; error?: unknown }>): Promise<void> {
  const { response, error } = await call;
  if (response?.ok) good++;
  else failed.push(response?.url.replace(ADDRESS, '').split('?')[0] + ' ' + (error as { parameter?: string; code: string }).code);
}`;

/** The calls of an operation that give every parameter once. */
function callsOf(operation: Operation): { path?: object; query?: object }[] {
  const { parameters } = operation;
  const pairs = (chosen: Parameter[]) =>
    Object.fromEntries(chosen.map((each) => [each.name, givenFor(each, operation)]));
  const query = parameters.filter((each) => each.in === 'query');
  const required = query.filter(({ name }) => REQUIRED.includes(name));
  const ids = parameters.filter((each) => each.in === 'path');
  const path = ids.length > 0 && { path: pairs(ids) };
  const calls = [];
  for (let at = 0; at === 0 || at < query.length; at += PARAMETERS_A_CALL) {
    const given = [...required, ...query.slice(at, at + PARAMETERS_A_CALL)];
    calls.push({ ...path, ...(given.length > 0 && { query: pairs(given) }) });
  }
  return calls;
}

async function operationsIn(folder: string, file: string): Promise<Operation[]> {
  type Document = { paths: Record<string, { get: Omit<Operation, 'path'> }> };
  const { paths } = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Document;
  return Object.entries(paths).map(([address, { get }]) => ({ path: address, ...get }));
}

clients('of a game call every operation with every parameter, by openapi-fetch', async (context) => {
  await run(context.folder, process.execPath, ...OPENAPI_TYPESCRIPT, 'saga.json', '-o', 'fetch-saga.ts');
  const calls = (await operationsIn(context.folder, 'saga.json')).flatMap((operation) =>
    callsOf(operation).map((given) => {
      const options = { params: given, parseAs: 'text' };
      return `await check(GET(${JSON.stringify(operation.path)}, ${JSON.stringify(options)}));`;
    }),
  );
  const printed = await runProgram(
    context,
    'all-calls',
    `import createClient from 'openapi-fetch';
import type { paths } from './fetch-saga';
const { GET } = createClient<paths>({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });
${CHECK}
${calls.join('\n')}
console.log(JSON.stringify({ good, failed }));
`,
  );
  assert.equal(printed, { good: calls.length - FAILED.length, failed: FAILED });
});

testLarge('of a game call every operation with every parameter, by @hey-api/openapi-ts', async (context) => {
  await runTool(context.large, 'openapi-ts', '-i', 'saga.json', '-o', 'hey-all');
  const operations = await operationsIn(context.large, 'saga.json');
  const calls = operations.flatMap((operation) =>
    callsOf(operation).map((chosen) => {
      const given = { ...chosen, parseAs: 'text' };
      return `await check(sdk.${operation.operationId}(${JSON.stringify(given)}));`;
    }),
  );
  const printed = await runBundled(
    context,
    'hey-all-calls',
    `import { client } from './hey-all/client.gen';
import * as sdk from './hey-all/sdk.gen';
client.setConfig({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });
${CHECK}
${calls.join('\n')}
console.log(JSON.stringify({ good, failed }));
`,
  );
  assert.equal(printed, { good: calls.length - FAILED.length, failed: FAILED });
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
