import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readListState, writeListState } from '../../../../gateway/site/model/list-state.ts';
import { addressOf, writeSnippets } from '../../../../gateway/site/model/snippets.ts';

const test = suite('requests as code, and what is left of the caps');

const request = {
  origin: 'https://api.example.org',
  path: '/api/saga/characters',
  query: writeListState(readListState("name=O'Brien%22%24%60&stats.atk[gte]=20")),
};

test('a hostile value ends no string of any language', () => {
  const [curl, javascript, python] = writeSnippets(request).map(({ code }) => code);
  const address = 'https://api.example.org/api/saga/characters?name=O%27Brien%22%24%60&stats.atk[gte]=20';
  assert.is(addressOf(request), address);
  assert.is(curl, `curl -g -H "X-API-Key: $KEY" '${address}'`);
  assert.ok(javascript?.includes(`'${address}'`));
  assert.ok(python?.includes(`"${address}"`));
});

test('lists are there as CSV under an address of their own', () => {
  const csv = writeSnippets({ ...request, hasCsv: true }).at(-1);
  assert.is(csv?.language, 'CSV');
  assert.ok(csv?.code.includes("-o 'characters.csv'"));
  assert.ok(csv?.code.includes("'https://api.example.org/api/saga/characters.csv?name=O%27Brien"));
});

test('the JavaScript is JavaScript', async () => {
  const code = writeSnippets(request)[1]?.code ?? '';
  const asked: unknown[] = [];
  const ask = async (...given: unknown[]) => {
    asked.push(given);
    return { json: async () => 'data' };
  };
  const run = new Function('fetch', 'process', `return (async () => { ${code} return data; })()`);
  assert.is(await run(ask, { env: { KEY: 'k' } }), 'data');
  assert.equal(asked, [[addressOf(request), { headers: { 'X-API-Key': 'k' } }]]);
});

test.run();
