import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { LIST_PARAMETERS } from '../../../scripts/format/dist-format.ts';
import { type Ended, startProcess } from '../../support/command.ts';
import type { TestGateway } from '../../support/harness.ts';
import { openApiTypescript } from '../../support/openapi-typescript.ts';
import { ROOT } from '../../support/paths.ts';

/** Where clients are generated: the folder has openapi-fetch, and `large` the large generators. */
export interface Workshop {
  gateway: TestGateway;
  folder: string;
  large: string;
}

const OPENAPI_TYPESCRIPT = openApiTypescript();
const OPENAPI_FETCH = path.join(ROOT, 'node_modules/openapi-fetch');
/** Where `npm run generators` installs the large generators. */
export const MODULES = path.join(ROOT, 'var/generators/node_modules');
const TSC = path.join(ROOT, 'node_modules/.bin/tsc');

const COMPILER_OPTIONS = {
  ...{ strict: true, skipLibCheck: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] },
  ...{ module: 'esnext', moduleResolution: 'bundler', types: [], rootDir: '.', outDir: 'out' },
};

/** Prepares an empty folder, and writes documents of the gateway into it. @param addresses by the names of the files */
export async function openWorkshop(
  gateway: TestGateway,
  folder: string,
  addresses: Readonly<Record<string, string>>,
): Promise<Workshop> {
  const large = path.join(folder, 'large');
  await mkdir(large);
  await mkdir(path.join(folder, 'node_modules'));
  await symlink(OPENAPI_FETCH, path.join(folder, 'node_modules/openapi-fetch'));
  await symlink(MODULES, path.join(large, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  for (const [file, address] of Object.entries(addresses)) {
    const { text } = await gateway.ask(address, { key: null });
    for (const each of [folder, large]) await writeFile(path.join(each, `${file}.json`), text);
  }
  return { gateway, folder, large };
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

/** Writes the types of a document with openapi-typescript. */
export async function makeTypes({ folder }: Workshop, document: string, types: string): Promise<void> {
  await run(folder, process.execPath, ...OPENAPI_TYPESCRIPT, document, '-o', types);
}

/** Runs one of the large generators. */
export const runTool = (folder: string, name: string, ...args: string[]) =>
  run(folder, path.join(MODULES, '.bin', name), ...args);

/** Compiles a program that uses a generated client, in the folder of the client. */
async function compile({ gateway }: Workshop, folder: string, name: string, program: string): Promise<void> {
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
export async function runProgram(workshop: Workshop, name: string, program: string): Promise<unknown> {
  const { folder } = workshop;
  await compile(workshop, folder, name, program);
  return JSON.parse((await run(folder, process.execPath, `out/${name}.js`)).stdout);
}

/** The same with a client that has to be bundled, as its modules import each other without extensions. */
export async function runBundled(workshop: Workshop, name: string, program: string): Promise<unknown> {
  const { large } = workshop;
  await compile(workshop, large, name, program);
  const bundle = ['--bundle', '--format=esm', `--outfile=${name}.mjs`, '--log-level=warning'];
  await runTool(large, 'esbuild', `${name}.ts`, ...bundle);
  return JSON.parse((await run(large, process.execPath, `${name}.mjs`)).stdout);
}

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

/** What only the data knows: the builds of a game, oldest first, and an id of each of its collections. */
interface Known {
  builds: readonly string[];
  ids: ReadonlyMap<string, string>;
}

/** How many parameters a call has: more would not fit into an address, or have too many labels. */
const PARAMETERS_A_CALL = 12;
/** What a call needs anyway. */
const REQUIRED = ['from', 'to', 'fields'];
/** The parameters of lists that are no attributes. */
const OF_LISTS: readonly string[] = LIST_PARAMETERS;

function givenFor(
  { name, schema, in: where }: Parameter,
  operation: Operation,
  { builds, ids }: Known,
): unknown {
  const collection = operation.path.split('/')[3] ?? '';
  const id = ids.get(collection) ?? ids.get('characters') ?? 'none';
  const known: Record<string, unknown> = {
    ...(where === 'path' && { id }),
    ...{ ids: [id], fields: [attributeOf(operation)], sort: attributeOf(operation), filter: ['type=string'] },
    ...{ q: 'a', from: builds[0], to: builds.at(-1), build: 'latest', via: 'link' },
    ...{ format: 'csv', collection: 'characters', csv: 'spreadsheet' },
  };
  return name in known && (where === 'path' || OF_LISTS.includes(name) || !isFilter(schema))
    ? known[name]
    : exampleOf(schema);
}

/** Filters are lists of values; a game may have attributes with the names of parameters of other addresses. */
function isFilter({ type }: Parameter['schema']): boolean {
  return type === 'array';
}

/** An attribute that the records of an operation have. */
function attributeOf({ path: address, parameters }: Operation): string {
  if (address.endsWith('/facets')) return 'type';
  if (address.endsWith('/series')) return 'name';
  const names = parameters.map(({ name }) => name);
  if (address.endsWith('}') || names.includes('id')) return 'id';
  return names.find((name) => !OF_LISTS.includes(name)) ?? 'id';
}

function exampleOf({ type, enum: values, items }: Parameter['schema']): unknown {
  if (type === 'array' && items) return [exampleOf(items)];
  if (values) return values[0];
  return type === 'boolean' ? true : type === 'string' ? 'x' : 1;
}

/** Counts the calls that succeed, and keeps what the others say. */
const CHECK = `let good = 0;
const failed: string[] = [];
async function check(call: Promise<{ response?: Response; error?: unknown }>): Promise<void> {
  const { response, error } = await call;
  if (response?.ok) good++;
  else failed.push(response?.url.replace(ADDRESS, '').split('?')[0] + ' ' + (error as { parameter?: string; code: string }).code);
}`;

/** The calls of an operation that give every parameter once. */
function callsOf(operation: Operation, known: Known): { path?: object; query?: object }[] {
  const { parameters } = operation;
  const pairs = (chosen: Parameter[]) =>
    Object.fromEntries(chosen.map((each) => [each.name, givenFor(each, operation, known)]));
  const query = parameters.filter((each) => each.in === 'query' && each.name !== 'via');
  const required = query.filter(({ name }) => REQUIRED.includes(name));
  const ids = parameters.filter((each) => each.in === 'path');
  const groups: Parameter[][] = parameters.filter(({ name }) => name === 'via').map((via) => [via]);
  for (let at = 0; at === 0 || at < query.length; at += PARAMETERS_A_CALL)
    groups.push([...required, ...query.slice(at, at + PARAMETERS_A_CALL)]);
  return groups.map((given) => ({
    ...(ids.length > 0 && { path: pairs(ids) }),
    ...(given.length > 0 && { query: pairs(given) }),
  }));
}

async function operationsOf({ folder }: Workshop, game: string): Promise<Operation[]> {
  type Document = { paths: Record<string, { get: Omit<Operation, 'path'> }> };
  const { paths } = JSON.parse(await readFile(path.join(folder, `${game}.json`), 'utf8')) as Document;
  return Object.entries(paths).map(([address, { get }]) => ({ path: address, ...get }));
}

async function readKnown(
  { gateway }: Workshop,
  game: string,
  operations: readonly Operation[],
): Promise<Known> {
  const { builds } = (await gateway.ask(`/api/${game}/history`)).json<{ builds: { build: string }[] }>();
  const ids = new Map<string, string>();
  for (const { path: address } of operations) {
    const [, collection] = /^\/api\/[^/]+\/([^/]+)\/\{id\}$/.exec(address) ?? [];
    if (collection === undefined || collection === 'history') continue;
    type List = Record<'characters' | 'records', { id: string }[] | undefined>;
    const { characters, records = characters } = (
      await gateway.ask(`/api/${game}/${collection}?limit=1`)
    ).json<List>();
    if (records?.[0]) ids.set(collection, records[0].id);
  }
  return { builds: builds.map(({ build }) => build).reverse(), ids };
}

/** What became of the calls of all operations with all parameters. */
interface Called {
  calls: number;
  good: number;
  failed: string[];
}

/** Generates a client of a game with openapi-fetch, and calls every operation with every parameter at least once. */
export async function callAllWithFetch(workshop: Workshop, game: string): Promise<Called> {
  await makeTypes(workshop, `${game}.json`, `every-${game}.ts`);
  return await callAll(
    workshop,
    game,
    runProgram,
    `import createClient from 'openapi-fetch';
import type { paths } from './every-${game}';
const { GET } = createClient<paths>({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });`,
    ({ path: address }, given) =>
      `GET(${JSON.stringify(address)}, ${JSON.stringify({ params: given, parseAs: 'text' })})`,
  );
}

/** The same with @hey-api/openapi-ts. */
export async function callAllWithHeyApi(workshop: Workshop, game: string): Promise<Called> {
  await runTool(workshop.large, 'openapi-ts', '-i', `${game}.json`, '-o', `hey-${game}`);
  return await callAll(
    workshop,
    game,
    runBundled,
    `import { client } from './hey-${game}/client.gen';
import * as sdk from './hey-${game}/sdk.gen';
client.setConfig({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } });`,
    ({ operationId }, given) => `sdk.${operationId}(${JSON.stringify({ ...given, parseAs: 'text' })})`,
  );
}

async function callAll(
  workshop: Workshop,
  game: string,
  runIt: typeof runProgram,
  opening: string,
  write: (operation: Operation, given: object) => string,
): Promise<Called> {
  const operations = await operationsOf(workshop, game);
  const known = await readKnown(workshop, game, operations);
  const calls = operations.flatMap((operation) =>
    callsOf(operation, known).map((given) => `await check(${write(operation, given)});`),
  );
  const printed = await runIt(
    workshop,
    `calls-${game}`,
    `${opening}\n${CHECK}\n${calls.join('\n')}\nconsole.log(JSON.stringify({ good, failed }));\n`,
  );
  return { calls: calls.length, ...(printed as Omit<Called, 'calls'>) };
}
