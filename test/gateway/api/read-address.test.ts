import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressPath } from '../../../gateway/access/account.ts';
import { InputError } from '../../../gateway/http/problem.ts';
import { erasePerson, exportAccount } from '../../../gateway/people/privacy.ts';
import { readAddressTerms } from '../../../gateway/people/read-address-terms.ts';
import { OPERATOR } from '../../../gateway/store/audit.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress } from '../../../gateway/store/keys.ts';
import { accountByEmail } from '../../support/accounts.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { table } from '../../support/table.ts';
import { until } from '../../support/until.ts';
import { contentOf } from '../store/store-content.ts';

const test = suite<{ gateway: TestGateway }>('read-only addresses');
test.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});

/** Makes an address of an account. @returns its path, token and prefix */
async function make({ store }: TestGateway, target: string, email = 'pro@example.org') {
  const { account } = (await accountByEmail(store, email)) ?? {};
  if (!account) throw new Error('expected an account');
  const terms = readAddressTerms(target);
  const made = await makeAddress(store, account.id, { address: terms, name: 'sheet' }, OPERATOR);
  const { token = '', record } = made ?? {};
  return { path: addressPath(token, terms), token, prefix: record?.prefix ?? '', account };
}

async function codeOf(gateway: TestGateway, path: string): Promise<string> {
  const { status, json } = await gateway.ask(path, { key: null });
  return status === 200 ? '200' : `${status} ${json<{ code: string }>().code}`;
}

test('of a query serve this query without a key, and nothing else', async ({ gateway }) => {
  const { path, token } = await make(gateway, '/api/star-rail/characters.csv?element=Pyro&columns=id,name');
  assert.is(path, `/t/${token}/star-rail/characters.csv?element=Pyro&columns=id,name`);
  const { status, text, headers } = await gateway.ask(path, { key: null });
  assert.equal([status, text], [200, 'id,name\r\nunit-1,Arle\r\nunit-10,Hu Tao\r\n']);
  assert.match(headers.get('content-type') ?? '', /^text\/csv/);
  assert.equal([headers.get('x-total-count'), headers.get('referrer-policy')], ['2', 'no-referrer']);
  const again = await gateway.ask(path, {
    key: null,
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  assert.is(again.status, 304);
  assert.is(await codeOf(gateway, path.replace('id,name', 'id%2Cname')), '200', 'encoded by another client');
  assert.is(await codeOf(gateway, path.replace('&columns', '%26columns')), '403 invalid-link');
  const others = ['characters.csv', 'characters.csv?element=Hydro', 'characters.json', 'banners.csv'];
  for (const other of others)
    assert.is(await codeOf(gateway, `/t/${token}/star-rail/${other}`), '403 invalid-link', other);
  assert.is(await codeOf(gateway, path.replace('star-rail', 'tiny-game')), '403 invalid-link');
});

test('of a game serve all rows of it, in each form', async ({ gateway }) => {
  const { token } = await make(gateway, 'star-rail');
  const ok = [
    'characters.csv',
    'characters.ndjson?q=e',
    'characters.json?limit=1',
    'banners.csv',
    'compare.csv?ids=unit-1,unit-2&csv=spreadsheet',
  ];
  for (const rows of ok) assert.is(await codeOf(gateway, `/t/${token}/star-rail/${rows}`), '200', rows);
  const { json } = await gateway.ask(`/t/${token}/star-rail/characters.json?limit=1`, { key: null });
  assert.is(json<{ total: number }>().total, 4);
  for (const [rest = '', expected] of table`
    star-rail/characters | 404 not-found
    star-rail/characters.xml | 404 not-found
    star-rail/pull_planner.csv | 406 not-acceptable
    star-rail/compare.json?ids=unit-1&csv=spreadsheet | 400 invalid-parameter
    tiny-game/characters.csv | 403 invalid-link
  `)
    assert.is(await codeOf(gateway, `/t/${token}/${rest}`), expected, rest);
});

test('are no keys, and keys are no addresses', async ({ gateway }) => {
  const { token } = await make(gateway, 'star-rail');
  const { status } = await gateway.ask('/api/games', { key: token });
  assert.is(status, 401);
  const { pro } = gateway.keys;
  const refused = await gateway.ask(`/t/${pro}/star-rail/characters.csv`, { key: null });
  assert.is(refused.status, 403);
  assert.is(refused.headers.get('referrer-policy'), 'no-referrer');
  assert.is(
    await codeOf(gateway, `/t/${'gdt_'.padEnd(36, 'a')}/star-rail/characters.csv`),
    '403 invalid-link',
  );
});

test('use up half of the caps of their account together, and see what it sees', async ({ gateway }) => {
  const key = await issueKey(gateway.store, 'free', 'eve@example.org');
  const [one, two] = [
    await make(gateway, 'star-rail', 'eve@example.org'),
    await make(gateway, 'star-rail', 'eve@example.org'),
  ];
  const { headers } = await gateway.ask(one.path, { key: null });
  assert.match(headers.get('ratelimit') ?? '', /^"minute";r=9;.*"key-minute";r=4;/);
  for (let n = 0; n < 4; n++) assert.is(await codeOf(gateway, two.path), '200');
  for (const { path } of [one, two]) assert.is(await codeOf(gateway, path), '429 quota-exceeded');
  for (let n = 0; n < 5; n++) assert.is((await gateway.ask('/api/games', { key })).status, 200);
  assert.is((await gateway.ask('/api/games', { key })).status, 429);
});

test('leave only a part of their token in the log, and none in the store', async ({ gateway }) => {
  const { path, token, prefix } = await make(gateway, 'star-rail');
  const before = gateway.logged.length;
  await gateway.ask(path, { key: null });
  await gateway.ask(path.replace('gdt_', '%67dt_'), { key: null });
  await until(async () => gateway.logged.length >= before + 2);
  const lines = gateway.logged.slice(before).join('\n');
  assert.ok(lines.includes(`/t/${prefix}…/star-rail/characters.csv`), lines);
  assert.not.ok(lines.includes(token));
  assert.not.ok((await contentOf(gateway.store)).includes(token));
});

test('are at most twenty of an account, are exported, and go with it', async ({ gateway }) => {
  const { store } = gateway;
  await issueKey(store, 'pro', 'fay@example.org');
  let last = await make(gateway, 'star-rail', 'fay@example.org');
  for (let n = 1; n < MAX_ADDRESSES; n++) last = await make(gateway, 'star-rail', 'fay@example.org');
  assert.is((await make(gateway, 'star-rail', 'fay@example.org')).token, '');
  assert.is((await addressesOf(store, last.account.id)).length, MAX_ADDRESSES);
  // The tokens of addresses are keys, of another kind.
  const exported = (await exportAccount(store, 'fay@example.org')) as { keys: object[] };
  assert.is(exported.keys.length, MAX_ADDRESSES + 1);
  assert.is(await codeOf(gateway, last.path), '200');
  await erasePerson(store, 'fay@example.org');
  await until(async () => (await codeOf(gateway, last.path)) === '403 invalid-link');
  assert.not.ok((await contentOf(store)).includes(last.prefix));
});

test('are read from what people paste', () => {
  for (const [text = '', game = '', query] of table`
    https://api.example.org/api/star-rail/characters.csv?element=Pyro | star-rail | characters.csv?element=Pyro
    /api/star-rail/characters?element=Pyro | star-rail | characters.csv?element=Pyro
    star-rail | star-rail
    /api/star-rail/characters?name=é"&stats.atk[gte]=1 | star-rail | characters.csv?name=%C3%A9%22&stats.atk[gte]=1
  `)
    assert.equal(readAddressTerms(text), { game, ...(query && { query }) }, text);
  assert.is(readAddressTerms(' star-rail/characters.csv?element=Pyro ').query, 'characters.csv?element=Pyro');
  const wrong = ['', 'Star Rail', '/api/star-rail', 'star-rail/characters.xml'];
  for (const text of [...wrong, '/api/star-rail/history/unit-1', `a/${'b'.repeat(2000)}`])
    assert.throws(
      () => readAddressTerms(text),
      (error: unknown) => error instanceof InputError,
      text,
    );
});

test.run();
