import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KEY_PLACES } from '../../../gateway/access/charge.ts';
import { MEANT_VALUES, ROUTE_CHANGES, ROW_FORMS } from '../../../gateway/api/ports.ts';
import { NESTED_FILTERS } from '../../../gateway/query/filters.ts';
import { NAME_SEARCH } from '../../../gateway/query/names.ts';
import { TRANSLATIONS } from '../../../gateway/query/translation.ts';
import { transact } from '../../../gateway/store/transaction.ts';
import { setKeyOptions } from '../../../gateway/key-terms/shared/key-changes.ts';
import { offerParts } from '../../runner/open-doors.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

const test = suite<{ gateway: TestGateway }>('an API without parts');
test.before(async (context) => {
  ROW_FORMS.close();
  KEY_PLACES.close();
  NAME_SEARCH.close();
  TRANSLATIONS.close();
  NESTED_FILTERS.close();
  MEANT_VALUES.close();
  for (const part of ['bulk', 'openapi', 'search', 'tables']) ROUTE_CHANGES.close(part);
  context.gateway = await startGateway({ ...SAMPLE_GAMES, ...TYPED_GAMES });
});
test.after(async ({ gateway }) => {
  await gateway.stop();
  await offerParts();
});

/** Sends a request with the Pro key. @returns the status and the code of the problem, if there is one */
async function ask({ address, keys }: TestGateway, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(address + path, { headers: { 'x-api-key': keys.pro, ...headers } });
  const { code, detail } = (await response.json()) as { code?: string; detail?: string };
  return { status: response.status, code, detail };
}

test('has no rows as CSV or NDJSON, and says what it has', async ({ gateway }) => {
  for (const path of ['characters', 'banners', 'compare?ids=unit-1']) {
    const { status, detail } = await ask(gateway, `/api/star-rail/${path}`, { accept: 'text/csv' });
    assert.is(status, 406, path);
    assert.match(detail ?? '', 'expected application/json or */*');
  }
  const { code } = await ask(gateway, '/api/star-rail/characters.csv');
  assert.is(code, 'unknown-dataset');
  assert.is((await ask(gateway, '/t/gdt_x/star-rail/characters.csv')).code, 'not-found');
});

test('refuses a key that is bound to networks, which it cannot check', async ({ gateway }) => {
  const { store, address, clock } = gateway;
  const key = await issueKey(store, 'pro', 'ada@example.org');
  await transact(store, (transaction) =>
    setKeyOptions(
      transaction,
      key.slice(0, 12),
      { networks: ['127.0.0.1'] },
      { by: 'operator', now: clock.now },
    ),
  );
  const response = await fetch(`${address}/api/games`, { headers: { 'x-api-key': key } });
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  assert.equal([response.status, code], [503, 'unavailable']);
  assert.match(detail, 'is bound to networks or origins, which this gateway cannot check');
});

test('finds exact and folded names, and none with typos', async ({ gateway }) => {
  const totals = ['Élan', 'ELAN', 'Elam'].map(async (q) => {
    const { total } = await gateway
      .ask(`/api/star-rail/characters?q=${encodeURIComponent(q)}`)
      .then(({ json }) => json<{ total: number }>());
    return total;
  });
  assert.equal(await Promise.all(totals), [1, 1, 0]);
  assert.is((await ask(gateway, '/api/search?q=Elan')).code, 'not-found');
});

test('leaves names that a search finds in the order of the list', async ({ gateway }) => {
  const page = await gateway.ask('/api/star-rail/characters?q=a');
  const { sort, characters } = page.json<{ sort: string; characters: { id: string }[] }>();
  const ids = characters.map(({ id }) => id);
  assert.equal([sort, ids.slice(0, 3)], ['id', ['unit-1', 'unit-2', 'unit-10']]);
});

test('has no records with values that a closed attribute does not have', async ({ gateway }) => {
  const page = await gateway.ask('/api/saga/characters?element=fyre');
  assert.is(page.json<{ total: number }>().total, 0);
});

test('refuses a language, and says which part has languages', async ({ gateway }) => {
  for (const path of ['characters', 'banners', 'facets', 'compare?ids=unit-1']) {
    const address = `/api/star-rail/${path}${path.includes('?') ? '&' : '?'}lang=ja`;
    const { status, detail } = await ask(gateway, address);
    assert.is(status, 400, path);
    assert.match(detail ?? '', 'needs the part "languages"');
  }
});

test('downloads snapshots as JSON, also by a link, and refuses other formats', async ({ gateway }) => {
  const { address, keys } = gateway;
  const snapshot = await ask(gateway, '/api/star-rail/snapshot/latest');
  assert.is(snapshot.status, 200);
  const response = await fetch(`${address}/api/star-rail/snapshot/latest?via=link`, {
    headers: { 'x-api-key': keys.pro },
  });
  const { url } = (await response.json()) as { url: string };
  assert.is((await ask(gateway, url)).status, 200);
  assert.is(
    (await ask(gateway, '/api/star-rail/snapshot/latest?format=csv')).detail,
    '"format" is not a parameter of this address; expected via',
  );
  assert.is((await ask(gateway, '/api/star-rail/bulk')).code, 'unknown-dataset');
});

test('has no OpenAPI documents, and refers to none', async ({ gateway }) => {
  assert.is((await ask(gateway, '/openapi/star-rail.json')).code, 'not-found');
  assert.is((await ask(gateway, '/openapi.json')).detail, 'nothing is at "/openapi.json"');
});

test.run();
