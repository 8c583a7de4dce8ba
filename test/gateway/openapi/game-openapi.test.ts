import { Validator } from '@seriousme/openapi-schema-validator';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

interface Schema {
  type?: unknown;
  enum?: unknown[];
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface Document {
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, { get: { operationId: string; tags: string[]; parameters: Parameter[] } }>;
  components: { schemas: Record<string, Schema> };
}

const HOUR = 3_600_000;

interface Context {
  gateway: TestGateway;
  document: Document;
}

const openapi = suite<Context>('OpenAPI document of a game');
openapi.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
  context.document = await readDocument(context.gateway);
});

async function readDocument(gateway: TestGateway): Promise<Document> {
  return (await gateway.ask('/openapi/saga.json', { key: null })).json<Document>();
}

openapi('is valid OpenAPI 3.1', async ({ document }) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as never);
  assert.ok(valid, JSON.stringify(errors, null, 1));
  assert.is(validator.version, '3.1');
});

openapi('has the types of records, with the words of the dictionary', ({ document }) => {
  const { FullCharacter, RosterCharacter, TimelineRecord, PullPlannerRecord } = document.components.schemas;
  assert.equal(FullCharacter?.required, ['id', 'name', 'element', 'rarity', 'skills', 'stats']);
  const { element, stats, limited, tags, skills } = FullCharacter?.properties ?? {};
  assert.equal(element, {
    description: 'What it is made of. `fire` is Fire, `ice` is Ice.',
    type: 'string',
    enum: ['fire', 'ice'],
  });
  assert.equal(stats?.required, ['atk', 'hp']);
  assert.is(stats?.properties?.atk?.type, 'number');
  assert.is(stats?.properties?.atk?.description, 'The attack. Unit: points. Of level 90.');
  assert.is(stats?.properties?.hp?.type, 'integer');
  assert.is(limited?.type, 'boolean');
  assert.equal([tags?.type, tags?.items?.type], ['array', 'string']);
  assert.equal([skills?.type, skills?.items?.required], ['array', ['id', 'name']]);
  assert.is(RosterCharacter?.properties?.element?.type, 'string');
  assert.is(TimelineRecord?.properties?.who?.description, 'Who did it. An id of `characters`.');
  assert.equal(PullPlannerRecord?.required, ['cost', 'currency']);
});

openapi(
  'has a parameter for each facet and operator, and a request with any of them succeeds',
  async ({ document, gateway }) => {
    const names = new Set(document.paths['/api/saga/characters']?.get.parameters.map(({ name }) => name));
    for (const name of [
      'element',
      'element[ne]',
      'element[contains]',
      'stats.atk[gte]',
      'stats.atk[exists]',
      'skills.name',
      'limited',
    ]) {
      assert.ok(names.has(name), name);
    }
    assert.not.ok(names.has('element[gte]'));
    for (const [path, { get }] of Object.entries(document.paths)) {
      const filters = get.parameters.filter(({ name }) => name === 'filter' || name === 'id[ne]');
      if (filters.length === 0) continue;
      for (const { name, schema } of get.parameters.filter((parameter) => parameter.in === 'query')) {
        const value = name === 'fields' ? fieldOf(path) : valueFor(name, schema);
        const { status, text } = await gateway.ask(`${path}?${name}=${value}`, { key: gateway.keys.pro });
        assert.is(status, 200, `${path}?${name}=${value}: ${text}`);
      }
    }
  },
);

/** An attribute of the records at an address. */
function fieldOf(path: string): string {
  if (path.endsWith('/facets')) return 'type';
  return path.endsWith('/costs') ? 'level' : 'id';
}

/** A value that a schema allows. */
function valueFor(name: string, { type, enum: values, items }: Schema): string {
  const known: Record<string, string> = { q: 'a', sort: 'id', ids: 'ann', filter: 'type=string' };
  if (known[name]) return known[name];
  if (type === 'array' && items) return valueFor('', items);
  if (values) return String(values[0]);
  return type === 'boolean' ? 'true' : type === 'string' ? 'x' : '1';
}

openapi('filters a dataset by the characters that it refers to', async ({ document, gateway }) => {
  const has = (path: string) =>
    document.paths[`/api/saga/${path}`]?.get.parameters.some(({ name }) => name === 'character');
  assert.equal(['timeline', 'costs', 'characters'].map(has), [true, false, false]);
  const { json } = await gateway.ask('/api/saga/timeline?character=bob');
  assert.equal(
    json<{ records: { id: string }[] }>().records.map(({ id }) => id),
    ['t2'],
  );
  assert.is((await gateway.ask('/api/saga/costs?character=bob')).status, 400);
});

openapi('has the languages of the game, and what they add to records', async ({ document, gateway }) => {
  const { parameters = [] } = document.paths['/api/saga/characters']?.get ?? {};
  assert.equal(parameters.find(({ name }) => name === 'lang')?.schema, {
    type: 'string',
    enum: ['en', 'ja'],
  });
  const { status, text } = await gateway.ask('/api/saga/characters/ann?lang=ja');
  assert.is(status, 200);
  assert.match(text, /"name":"アン","name_en":"Ann"/);
});

openapi('shows nothing that free keys do not see yet', async ({ document, gateway }) => {
  assert.match(document.info.version, /\+1\.0$/);
  assert.not.match(JSON.stringify(document), /secret|whisper|\bair\b|1\.1/i);
  const withKey = await gateway.ask('/openapi/saga.json', { key: gateway.keys.pro });
  assert.equal(withKey.json(), document);
  const young = await gateway.ask('/openapi/young.json', { key: null });
  const never = await gateway.ask('/openapi/never.json', { key: null });
  assert.equal([young.status, young.json<{ code: string }>().code], [404, 'unknown-game']);
  assert.is(young.text.replaceAll('young', 'never'), never.text);
});

openapi('has an ETag that changes with the build that free keys see', async ({ gateway }) => {
  const first = await gateway.ask('/openapi/saga.json', { key: null });
  const etag = first.headers.get('etag') ?? '';
  const ask = () => gateway.ask('/openapi/saga.json', { key: null, headers: { 'if-none-match': etag } });
  assert.is((await ask()).status, 304);
  const before = gateway.clock.now;
  gateway.clock.now = NOON + 24 * HOUR;
  const later = await ask();
  assert.is(later.status, 200);
  assert.ok(later.json<Document>().components.schemas.FullCharacter?.properties?.whisper);
  gateway.clock.now = before;
});

openapi.run();
