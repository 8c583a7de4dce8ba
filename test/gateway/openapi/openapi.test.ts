import { Validator } from '@seriousme/openapi-schema-validator';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REVOKE_KEY } from '../../../gateway/people/revoke-key.ts';
import { OPERATOR } from '../../../gateway/store/audit.ts';
import { makeAddress } from '../../../gateway/store/keys.ts';
import { DATASET_KEY, RESERVED_DATASET_KEYS } from '../../../scripts/format/dist-format.ts';
import { accountByEmail } from '../../support/accounts.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROUTES } from '../../support/routes.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  example?: unknown;
  schema: { enum?: string[]; default?: unknown; minimum?: number };
}

/** What one address offers: a route, or an operation that changes something. */
interface PathItem {
  get?: { operationId: string; parameters: Parameter[] };
  post?: { operationId: string };
}

interface Document {
  openapi: string;
  paths: Record<string, PathItem>;
}

const mora = (count: number) => [{ id: 'm', name: 'Mora', count }];
/** A game whose character has costs. */
const FORGE = {
  'forge/game.json': { title: 'Forge' },
  'forge/1/build.json': { released_at: '2026-01-01' },
  'forge/1/pull_planner.json': { cost: 1 },
  'forge/1/characters.json': [
    {
      id: 'a',
      name: 'A',
      name_ja: 'ア',
      skills: [{ name: 'x' }, { name: 'y' }],
      ascension: [20, 40].map((level) => ({ level, materials: mora(level) })),
      talents: [2, 3].map((level) => ({ level, materials: mora(level) })),
    },
  ],
};

const openapi = suite<{ gateway: TestGateway; document: Document }>('OpenAPI document');
openapi.before(async (context) => {
  context.gateway = await startGateway({ ...SAMPLE_GAMES, ...FORGE }, { formats: ['csv'] });
  context.document = (await context.gateway.ask('/openapi.json', { key: null })).json<Document>();
});

openapi('is valid OpenAPI 3.1', async ({ document }) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as never);
  assert.ok(valid, JSON.stringify(errors, null, 1));
  assert.is(validator.version, '3.1');
});

openapi('describes every route with every parameter, and no other', ({ document }) => {
  const described = routesOf(document).map(([path, get]) => [
    path,
    get.operationId,
    get.parameters.map((parameter) => `${parameter.in} ${parameter.name}`),
  ]);
  const routes = ROUTES.map(({ path, operationId, parameters }) => [
    path.replace(/:(\w+)/g, '{$1}'),
    operationId,
    [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => `path ${name}`),
      ...parameters.map(({ name }) => `query ${name}`),
    ],
  ]);
  assert.equal(described, routes);
  assert.is(new Set(described.map(([, operationId]) => operationId)).size, described.length);
  const others = Object.entries(document.paths).flatMap(([path, { post }]) => (post ? [path] : []));
  assert.equal(others, [REVOKE_KEY]);
});

openapi(
  'has no address directly below a game that could be that of a dataset, unless its key is reserved',
  () => {
    const names = ROUTES.flatMap(({ path }) => /^\/api\/:game\/([^:/.]+)/.exec(path)?.[1] ?? []);
    const couldBeKeys = [...new Set(names)].filter((name) => new RegExp(DATASET_KEY).test(name));
    assert.equal(couldBeKeys.sort(), [...RESERVED_DATASET_KEYS].sort());
  },
);

function routesOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, { get }]) => (get ? [[path, get] as const] : []));
}

/**
 * What is sent: by the name of a parameter, or by operation and name. A value may add what the parameter needs beside it. What is not
 * here is what the document has: an example, the first of the values, the default, or the smallest number. An empty one is not sent.
 */
const SENT: Readonly<Record<string, string>> = {
  game: 'star-rail',
  id: 'unit-1',
  dataset: 'banners',
  build: '1.1',
  from: '1.0',
  to: '1.1',
  q: 'e',
  sort: '-name',
  limit: '1',
  offset: '1',
  fields: 'name',
  columns: 'id,name',
  lang: 'ja',
  filter: 'stats.atk[gte]=1',
  ids: 'unit-1,unit-2',
  games: 'star-rail',
  character: '',
  format: 'json',
  collection: 'characters&format=csv',
  amended: 'values',
  view: 'summary',
  'getRecord id': 'b2',
  'getRecord fields': 'pulls',
  'getDataset ids': 'b2',
  'getDataset filter': 'pulls=80',
  'getCosts game': 'forge',
  'getCosts id': 'a',
  'getCosts from': '1',
  'getCosts to': '40',
  'getCosts talents': '2',
  'listBuilds page': '2&build=1.1',
  'listBuilds fields': 'stats&view=summary',
  'listBuilds lang': 'ja&view=summary',
  'listFacets sort': '-type',
  'listFacets fields': 'type',
  'listFacets filter': 'type=number',
  'listFacets ids': 'rarity',
  'listDatasetFacets sort': '-type',
  'listDatasetFacets fields': 'type',
  'listDatasetFacets filter': 'type=number',
  'listDatasetFacets ids': 'pulls',
};

/** What a signed link has. */
async function signedFile(gateway: TestGateway): Promise<Record<string, string>> {
  const { json } = await gateway.ask('/api/star-rail/snapshot/1.1?via=link');
  const { pathname, searchParams } = new URL(json<{ url: string }>().url, 'http://any');
  return { ...Object.fromEntries(searchParams), file: pathname.split('/').at(-1) ?? '' };
}

/** What a read-only address has. */
async function readOnlyAddress({ store }: TestGateway): Promise<Record<string, string>> {
  const { account } = (await accountByEmail(store, 'pro@example.org')) ?? {};
  if (!account) throw new Error('expected an account');
  const made = await makeAddress(store, account.id, { address: { game: 'star-rail' }, name: '' }, OPERATOR);
  return { token: made?.token ?? '', rows: 'characters.csv' };
}

openapi('describes the parameters that are accepted; any other is refused', async ({ gateway, document }) => {
  const sent = { ...SENT, ...(await signedFile(gateway)), ...(await readOnlyAddress(gateway)) };
  for (const [path, { operationId, parameters }] of routesOf(document)) {
    const sentAs = ({ name, example, schema }: Parameter) => {
      const own = sent[`${operationId.replace(/As(Csv|Ndjson)$/, '')} ${name}`];
      const value = own ?? sent[name] ?? example ?? schema.enum?.[0] ?? schema.default ?? schema.minimum;
      if (value === undefined) throw new Error(`${operationId}: ${name} has no example to send`);
      return value;
    };
    const ofPath = new Map(parameters.map((parameter) => [parameter.name, `${sentAs(parameter)}`]));
    const address = path.replace(/\{(\w+)\}/g, (_, name) => ofPath.get(name) ?? '');
    const queried = parameters.filter((parameter) => parameter.in === 'query');
    const needed = queried.filter(({ required }) => required).map((each) => `${each.name}=${sentAs(each)}`);
    const ask = (search: string) =>
      gateway.ask(`${address}?${[...needed, search].filter(Boolean).join('&')}`, { key: gateway.keys.pro });
    const optional = queried.filter((each) => !each.required && sentAs(each) !== '');
    for (const search of ['', ...optional.map((each) => `${each.name}=${sentAs(each)}`)])
      assert.is((await ask(search)).status, 200, `${address}?${needed.join('&')} ${search}`);
    const { status, json } = await ask('nonsense=1');
    assert.equal([status, json<{ parameter: string }>().parameter], [400, 'nonsense'], address);
  }
});

openapi.run();
