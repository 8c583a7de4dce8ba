import { Validator } from '@seriousme/openapi-schema-validator';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REVOKE_KEY } from '../../../gateway/people/revoke-key.ts';
import { OPERATOR } from '../../../gateway/store/audit.ts';
import { makeAddress } from '../../../gateway/store/keys.ts';
import { accountByEmail } from '../../support/accounts.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROUTES } from '../../support/routes.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { table } from '../../support/table.ts';

interface Parameter {
  name: string;
  in: string;
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
      ...{ id: 'a', name: 'A', name_ja: 'ア', skills: [{ name: 'x' }, { name: 'y' }] },
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
openapi.after(({ gateway }) => gateway.stop());

openapi('is valid OpenAPI 3.1', async ({ document }) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
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

function routesOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, { get }]) => (get ? [[path, get] as const] : []));
}

interface Operation {
  address: string;
  /** The parameters that every request needs. */
  always?: string;
  /** How each parameter is sent, by its name in the document. */
  values?: Record<string, string>;
}

const LIST = 'q=e sort=-name limit=1 offset=1 fields=name lang=ja';
const DOWNLOAD = 'format=json collection=format=csv&collection=characters';
const FACETS = 'sort=-type limit=1 offset=1 fields=type lang=ja filter=filter=type=number';

/** Each operation, its address, the parameters that every request needs, and the others: `name=value`, or `name=` and what is sent. */
const OPERATIONS = Object.fromEntries(
  table`
    listGames | /api/games
    search | /api/search | q=tao | q= games=star-rail lang=ja limit=1 offset=1
    getAccount | /api/me
    listCharacters | /api/star-rail/characters |  | ${LIST} filter=filter=stats.atk[gte]=1 ids=unit-1,unit-2
    getCharacter | /api/star-rail/characters/unit-1 |  | fields=name lang=ja
    getCosts | /api/forge/characters/a/costs |  | from=1 to=40 talents=2,2 lang=ja
    getRandomCharacters | /api/star-rail/characters/random |  | count=2 lang=ja
    listNames | /api/star-rail/names |  | lang=ja
    getRecord | /api/star-rail/banners/b2 |  | fields=pulls lang=ja
    compareCharacters | /api/star-rail/compare | ids=unit-1,unit-2 | ids= lang=ja
    listFacets | /api/star-rail/facets |  | ${FACETS} ids=rarity
    listAttributes | /api/star-rail/attributes
    listDatasetAttributes | /api/star-rail/banners/attributes
    listDatasetFacets | /api/star-rail/banners/facets |  | ${FACETS} ids=pulls
    getDataset | /api/star-rail/banners |  | ${LIST} filter=filter=pulls=80 ids=b2 character=
    listBuilds | /api/star-rail/history |  | amended=values view=summary fields=view=summary&fields=stats lang=view=summary&lang=ja build=1.1 limit=1 offset=1 page=build=1.1&page=2
    getTimeline | /api/star-rail/history/unit-1 |  | lang=ja
    getSeries | /api/star-rail/history/unit-1/series | fields=name | fields=
    getSnapshot | /api/star-rail/snapshot/1.1 |  | via=link ${DOWNLOAD}
    getBulk | /api/star-rail/bulk |  | ${DOWNLOAD}
    compareBuilds | /api/star-rail/diff | from=1.0&to=1.1 | from= to= lang=ja
    getOpenApi | /openapi.json
    getGameOpenApi | /openapi/star-rail.json
    getGameTypes | /types/star-rail.d.ts
    getHealth | /healthz
    getReadiness | /readyz
  `.map(([id = '', address = '', always = '', values = '']): [string, Operation] => [
    id,
    { address, always, values: Object.fromEntries(values.split(' ').filter(Boolean).map(readValue)) },
  ]),
);

/** How a parameter is sent: as it is written, without a value not at all, and what has an own `=` is all that is sent. */
function readValue(text: string): [string, string] {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
  return [name, value === '' ? '' : value.includes('=') ? value : text];
}

/** The examples of the addresses with a suffix, made from those without. */
function withSuffixes(): Record<string, Operation> {
  const rows = ['listCharacters', 'getDataset', 'compareCharacters', 'getSeries'];
  const made = rows.flatMap((id) =>
    (['Csv', 'Ndjson'] as const).map((form) => {
      const { address, values = {}, ...rest } = OPERATIONS[id] as Operation;
      const columns = {
        ...(form === 'Csv' && values.filter && { columns: 'columns=id,name' }),
        ...(form === 'Csv' && { csv: 'csv=spreadsheet' }),
      };
      const path = `${address}.${form.toLowerCase()}`;
      return [`${id}As${form}`, { ...rest, address: path, values: { ...values, ...columns } }] as const;
    }),
  );
  return Object.fromEntries(made);
}

/** The example of an operation whose address has to be signed. */
async function signedFile(gateway: TestGateway): Promise<Operation> {
  const { json } = await gateway.ask('/api/star-rail/snapshot/1.1?via=link');
  const [address = '', always = ''] = json<{ url: string }>().url.split('?');
  return { address, always, values: { expires: '', signature: '' } };
}

/** The examples of operations whose address has a token. */
async function readOnlyAddresses({ store }: TestGateway): Promise<Record<string, Operation>> {
  const { account } = (await accountByEmail(store, 'pro@example.org')) ?? {};
  if (!account) throw new Error('expected an account');
  const fields = { address: { game: 'star-rail' }, name: '' };
  const made = await makeAddress(store, account.id, fields, OPERATOR);
  const { values = {} } = OPERATIONS.listCharacters ?? {};
  const address = `/t/${made?.token}/star-rail`;
  return {
    readAddress: {
      address: `${address}/characters.csv`,
      values: { ...values, columns: 'columns=id,name', csv: 'csv=spreadsheet' },
    },
  };
}

openapi('describes the parameters that are accepted; any other is refused', async ({ gateway, document }) => {
  const operations = {
    ...OPERATIONS,
    ...withSuffixes(),
    getFile: await signedFile(gateway),
    ...(await readOnlyAddresses(gateway)),
  };
  for (const [, get] of routesOf(document)) {
    const operation = operations[get.operationId as keyof typeof operations];
    assert.ok(operation, `no example of ${get.operationId}`);
    const { address, always, values = {} } = operation;
    const queried = get.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    assert.equal(Object.keys(values).sort(), queried.sort(), get.operationId);
    const ask = (search?: string) =>
      gateway.ask(`${address}?${[always, search].filter(Boolean).join('&')}`, { key: gateway.keys.pro });
    assert.is((await ask()).status, 200, address);
    for (const search of Object.values(values)) {
      assert.is((await ask(search)).status, 200, `${address} ${search}`);
    }
    const { status, json } = await ask('nonsense=1');
    assert.equal([status, json<{ parameter: string }>().parameter], [400, 'nonsense'], address);
  }
});

openapi.run();
