import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { suggest } from '../../../gateway/http/problem.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { table } from '../../support/table.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

const test = suite<{ gateway: TestGateway }>('what a caller may have meant');
test.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
});

interface Problem {
  code: string;
  detail: string;
  parameter?: string;
  total?: number;
  did_you_mean?: { parameter: string; value: string };
}

async function ask(gateway: TestGateway, path: string): Promise<Problem> {
  return (await gateway.ask(path)).json<Problem>();
}

test('a stat is meant before other attributes with the same word', () => {
  assert.is(suggest('atk', ['base.atk', 'stats.atk']), ' (did you mean "stats.atk"?)');
});

for (const [query = '', parameter, detail = ''] of table`
  element=fyre | element | element is "fyre", which no record has (did you mean "fire"?); expected air, fire, ice
  element=Ice | element | (did you mean "ice"?)
  element[ne]=icy | element[ne] | (did you mean "ice"?)
  filter=element=fyre | element | (did you mean "fire"?)
  element=fire&element=water | element | element is "water", which no record has; expected air, fire, ice
  sort=atk | sort | (did you mean "stats.atk"?)
  atk=3 | atk | (did you mean "stats.atk"?)
  page=2 | page | (did you mean "offset"?)
  per_page=2 | per_page | (did you mean "limit"?)
`)
  test(`characters?${query} is an error that names the nearest`, async ({ gateway }) => {
    for (const form of ['', '.csv']) {
      const problem = await ask(gateway, `/api/saga/characters${form}?${query}`);
      assert.equal([problem.code, problem.parameter], ['invalid-parameter', parameter]);
      assert.ok(problem.detail.includes(detail), problem.detail);
    }
  });

for (const [query, meant] of [
  ['name=Anna', { parameter: 'name', value: 'Ann' }],
  ['rarity=6', undefined],
] as const)
  test(`characters?${query} is an empty list that names ${meant?.value ?? 'nothing'}`, async ({
    gateway,
  }) => {
    const { total, did_you_mean } = await ask(gateway, `/api/saga/characters?${query}`);
    assert.equal([total, did_you_mean], [0, meant]);
  });

for (const [path = '', id] of table`
  characters/Ann | ann
  characters/アン | ann
  compare?ids=Ann,bob | ann
  history/Bob | bob
`)
  test(`${path} names what it may mean`, async ({ gateway }) => {
    const { detail } = await ask(gateway, encodeURI(`/api/saga/${path}`));
    assert.ok(detail.includes(`(did you mean "${id}", which a search for this name finds?)`), detail);
  });

test('an id of many words is unknown, although no search has so many', async ({ gateway }) => {
  const id = encodeURIComponent(Array.from({ length: 17 }, (_, at) => `w${at}`).join(' '));
  for (const path of [`characters/${id}`, `compare?ids=${id}`, `history/${id}`])
    assert.is((await ask(gateway, `/api/saga/${path}`)).code, 'unknown-character', path);
});

test('a key that is not in its header is named, with what to do', async ({ gateway: { address, keys } }) => {
  const problemOf = async (query: string, headers: Record<string, string> = {}) =>
    (await (await fetch(`${address}/api/games${query}`, { headers })).json()) as Problem;
  const bearer = await problemOf('', { authorization: `Bearer ${keys.free}` });
  assert.is(bearer.code, 'missing-key');
  assert.match(bearer.detail, 'send what Authorization has as X-API-Key, without "Bearer"');
  const inAddress = await problemOf(`?access_token=${keys.free}`);
  assert.match(inAddress.detail, /a key in the address .* replace it .* in the header$/);
});

test.run();
