import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InputError } from '../../../gateway/http/problem.ts';
import { erasePerson, exportAccount } from '../../../gateway/people/privacy.ts';
import {
  ALL_SEEN,
  addRequest,
  asSeen,
  decideRequest,
  finishRequests,
  type GameRequest,
  listRequests,
  MAX_SUPPORTED,
  readLink,
  readName,
  supportRequest,
  withdrawSupport,
} from '../../../gateway/people/requests.ts';
import type { Store } from '../../../gateway/store/sql.ts';
import { grantTier, idOf } from '../../support/accounts.ts';
import { issueKey } from '../../support/harness.ts';
import { onEachEngine, type StoreContext } from '../store/engines.ts';

async function open(store: Store, name: string): Promise<string> {
  await issueKey(store, name === 'pro' ? 'pro' : 'free', `${name}@example.org`);
  return await idOf(store, `${name}@example.org`);
}

function ask(
  store: Store,
  account: string,
  name: string,
  page: string,
  seen: Pick<Set<string>, 'has'> = ALL_SEEN,
) {
  return addRequest(store, { account, seen }, { name, link: `https://example.org/${page}` });
}

const namesIn = async (store: Store) => (await listRequests(store)).map(({ name }) => name);

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  assert.instance(error, InputError);
  return (error as InputError).message;
}

onEachEngine<StoreContext>('game requests', (test) => {
  test('two requests for the same page become one with two supporters', async ({ store }) => {
    const [ada, bob] = [await open(store, 'ada'), await open(store, 'bob')];
    const first = await ask(store, ada, 'Blue Archive', 'blue');
    const second = await ask(store, bob, 'BLUE ARCHIVE!', 'blue?utm_source=x');
    assert.equal([second.id, second.name, second.supporters], [first.id, 'Blue Archive', 2]);
    assert.is((await ask(store, ada, 'Blue Archive', 'blue')).supporters, 2, 'once each');
    assert.is((await ask(store, bob, 'Other', 'other')).id, '2');
    await withdrawSupport(store, '2', bob);
    assert.is((await ask(store, bob, 'New', 'new')).id, '3', 'a number is not used again');
  });

  test('they are ranked by the current tiers, then by supporters, then by age', async ({ store, clock }) => {
    const [ada, bob, pro] = [await open(store, 'ada'), await open(store, 'bob'), await open(store, 'pro')];
    await ask(store, ada, 'Old', 'old');
    const { id } = await ask(store, bob, 'Popular', 'popular');
    await supportRequest(store, id, { account: ada, seen: ALL_SEEN });
    await ask(store, pro, 'Paid', 'paid');
    assert.equal(await namesIn(store), ['Paid', 'Popular', 'Old']);
    const pro_until = new Date(clock.now + 1000).toISOString();
    await grantTier(store, 'pro@example.org', { tier: 'pro', pro_until });
    clock.now += 1000;
    assert.equal(await namesIn(store), ['Popular', 'Old', 'Paid']);
    await withdrawSupport(store, id, ada);
    await withdrawSupport(store, id, ada);
    assert.equal(await namesIn(store), ['Old', 'Popular', 'Paid']);
  });

  test('of very many, an account sees its own and 500 in all', async ({ store }) => {
    const ada = await open(store, 'ada');
    await store.transaction(async (sql) => {
      const values = Array.from({ length: 600 }, (_, n) => `(${n + 9}, 'n', 'l${n}', 'accepted', 0)`);
      await sql.run(`INSERT INTO requests (id, name, link, status, created_at) VALUES ${values}`);
      await sql.run('INSERT INTO votes (request, account, at) VALUES (600, $1, 0)', [ada]);
    });
    const shown = await listRequests(store, ada);
    assert.equal([shown.length, shown[0]?.id, (await listRequests(store)).length], [500, '600', 600]);
  });

  test('a declined or done request refuses new supporters, and says why', async ({ store }) => {
    const [ada, bob] = [await open(store, 'ada'), await open(store, 'bob')];
    const supporter = { account: bob, seen: ALL_SEEN };
    const { id } = await ask(store, ada, 'Gone', 'gone');
    await decideRequest(store, id, { status: 'declined', note: 'it is shut down' });
    assert.match(await refusal(supportRequest(store, id, supporter)), /is declined: it is shut down/);
    assert.is((await decideRequest(store, id, { status: 'accepted' })).note, 'it is shut down');
    assert.match(await refusal(decideRequest(store, id, { status: 'done' })), /has no game yet/);
    const done = await decideRequest(store, id, { status: 'done', game: 'gone' });
    assert.equal([done.status, done.game], ['done', 'gone']);
    for (const wrong of ['9', 'x', ''])
      assert.match(await refusal(supportRequest(store, wrong, supporter)), /does not exist/);
  });

  test('until an account sees its game, a request that is done looks accepted, and can be supported', async ({
    store,
  }) => {
    const [ada, bob] = [await open(store, 'ada'), await open(store, 'bob')];
    const { id } = await ask(store, ada, 'Secret', 'secret');
    await decideRequest(store, id, { status: 'done', game: 'secret' });
    const seen = new Set(['other']);
    const [request] = (await listRequests(store)) as [GameRequest];
    assert.equal([asSeen(request, seen).status, asSeen(request, seen).game], ['accepted', null]);
    assert.equal(asSeen(request, new Set(['secret'])), request);
    assert.is((await supportRequest(store, id, { account: bob, seen })).supporters, 2);
    const mails = await store.all("SELECT id FROM mails WHERE kind = 'game-request'");
    assert.is(mails.length, 2, 'each supporter gets a mail');
    for (let n = 1; n < MAX_SUPPORTED; n++) await ask(store, ada, `Game ${n}`, String(n));
    assert.match(
      await refusal(ask(store, ada, 'More', 'more', seen)),
      /can support at most 20 open requests/,
    );
    await ask(store, ada, 'More', 'more', new Set(['secret']));
  });

  test('a request that is declined while its game becomes available mails nobody', async ({ store }) => {
    const { id } = await ask(store, await open(store, 'ada'), 'Late', 'late');
    await decideRequest(store, id, { status: 'accepted', game: 'late' });
    const all: Store['all'] = async (...read) => {
      const rows = await store.all<never>(...read);
      await decideRequest(store, id, { status: 'declined' });
      return rows;
    };
    await finishRequests({ all, transaction: (work) => store.transaction(work) } as Store, ALL_SEEN);
    assert.is((await listRequests(store))[0]?.status, 'declined');
    assert.equal(await store.all("SELECT id FROM mails WHERE kind = 'game-request'"), []);
  });

  test('deleting an account removes its support, and requests that nobody else supports', async ({
    store,
  }) => {
    const [ada, bob] = [await open(store, 'ada'), await open(store, 'bob')];
    const { id } = await ask(store, ada, 'Blue Archive', 'blue');
    await ask(store, ada, 'Own', 'own');
    await supportRequest(store, id, { account: bob, seen: ALL_SEEN });
    const exported = (await exportAccount(store, 'ada@example.org')) as { votes: object[]; mails: object[] };
    assert.equal([exported.votes.length, exported.mails.length], [2, 1]);
    await erasePerson(store, 'ada@example.org');
    assert.equal(
      (await listRequests(store)).map(({ name, supporters }) => [name, supporters]),
      [['Blue Archive', 1]],
    );
    assert.match(await refusal(ask(store, ada, 'Late', 'late')), /the account no longer exists/);
    assert.is((await listRequests(store)).length, 1);
  });
});

const texts = suite('the texts of game requests');
texts('a link is normalized', () => {
  const form = 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive';
  const other =
    ' https://PLAY.google.com:443/store/apps/details/?hl=en&id=com.nexon.bluearchive&utm_source=x#reviews ';
  for (const link of [form, other]) assert.is(readLink(link), form);
  assert.is(readLink('https://example.org'), 'https://example.org/');
  assert.is(readLink('https://example.org:8443/a'), 'https://example.org:8443/a');
});
texts('what is no link to a public page, or no name in one line, is refused', () => {
  const links =
    '|Blue Archive|http://example.org/|ftp://example.org/|javascript:alert(1)|https://localhost/|https://user:secret@example.org/';
  const long = [`https://example.org/${'a'.repeat(500)}`, `https://example.org/${'ゲ'.repeat(400)}`];
  const isRefusal = (error: unknown) => error instanceof InputError && !/secret/.test(error.message);
  for (const link of [...links.split('|'), ...long]) assert.throws(() => readLink(link), isRefusal, link);
  assert.is(readName('  Blue \t Archive '), 'Blue Archive');
  assert.is(readName('ブルーアーカイブ'), 'ブルーアーカイブ');
  for (const name of ['', ' ', 'a\u0000b', 'a\u202eb', 'a'.repeat(101)])
    assert.throws(() => readName(name), isRefusal, name);
});
texts.run();
