import { createHash } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { protectCells } from '../../../gateway/api/spreadsheet.ts';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { deleteAccount } from '../../../gateway/people/privacy.ts';
import type { Files } from '../../support/fixtures.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';

/** A game whose second build only Pro keys see, and whose third is not released yet. */
const FILES: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/1.1/build.json': { released_at: '2026-06-01T00:00:00Z' },
  'saga/1.1/characters.json': [
    { id: 'ann', name: 'Ann' },
    { id: 'fresh', name: 'Freshling' },
  ],
  'saga/2.0/build.json': { released_at: '2026-09-01' },
  'saga/2.0/characters.json': [
    { id: 'ann', name: 'Ann' },
    { id: 'fresh', name: 'Freshling' },
    { id: 'hidden', name: 'Hidden one' },
  ],
};

const bulk = suite<{ gateway: TestGateway }>('downloads of builds');
bulk.before(async (context) => {
  const { clientAddress } = readTrustedProxies('1');
  context.gateway = await startGateway(FILES, { formats: ['ndjson', 'csv', 'sqlite'], clientAddress });
});
bulk.after(({ gateway }) => gateway.stop());

async function get(
  gateway: TestGateway,
  address: string,
  key: string | null,
  headers: Record<string, string> = {},
) {
  const all = { ...(key !== null && { 'X-API-Key': key }), ...headers };
  const response = await fetch(gateway.address + address, { headers: all });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}

bulk('are databases, compressed for clients that accept it', async ({ gateway }) => {
  const { pro } = gateway.keys;
  const read = (coding: string, range?: string) =>
    get(gateway, '/api/saga/snapshot/latest?format=sqlite', pro, {
      'Accept-Encoding': coding,
      ...(range !== undefined && { Range: range }),
    });
  const plain = await read('identity');
  const header = (name: string) => plain.headers.get(name);
  assert.equal(['content-type', 'content-encoding', 'content-disposition'].map(header), [
    'application/vnd.sqlite3',
    null,
    'attachment; filename="saga-1.1.sqlite"',
  ]);
  assert.is(plain.text.slice(0, 15), 'SQLite format 3');
  const part = await read('identity', 'bytes=0-5');
  assert.equal([part.status, part.text], [206, 'SQLite']);
  for (const coding of ['gzip', 'br']) {
    const compressed = await read(coding);
    assert.is(compressed.headers.get('content-encoding'), coding);
    assert.equal(compressed.bytes, plain.bytes);
  }
});

bulk(
  'are tables for spreadsheets, whose texts are no formulas and whose numbers stay',
  async ({ gateway }) => {
    const { pro } = gateway.keys;
    const read = (rest: string) =>
      get(gateway, `/api/saga/snapshot/1.1?format=csv&csv=spreadsheet${rest}`, pro);
    const table = await read('&collection=characters');
    assert.equal(
      [table.status, Buffer.from(table.bytes).toString('utf8'), table.headers.get('content-disposition')],
      [
        200,
        '\ufeffid,name\r\nann,Ann\r\nfresh,Freshling\r\n',
        'attachment; filename="saga-1.1.characters.csv"',
      ],
    );
    const [whole, one, again] = await Promise.all([read(''), read('&collection=characters'), read('')]);
    assert.equal([one.bytes, again.bytes], [table.bytes, whole.bytes], 'one after another');
    const textsIn = ({ bytes }: { bytes: Uint8Array }) =>
      Object.entries(unzipSync(bytes)).map(([name, each]) => [name, Buffer.from(each).toString()] as const);
    const raw = textsIn(await get(gateway, '/api/saga/snapshot/1.1?format=csv', pro));
    assert.equal(raw.map(([name]) => name).sort(), ['build.json', 'characters.csv', 'pull_planner.csv']);
    const expected = raw.map(([name, text]) => [name, name.endsWith('.csv') ? `\ufeff${text}` : text]);
    assert.equal(textsIn(whole), expected);
    assert.is(whole.headers.get('content-disposition'), 'attachment; filename="saga-1.1.csv.zip"');
  },
);

bulk('for spreadsheets of one account delay those of another by one at most', async ({ gateway }) => {
  const other = await issueKey(gateway.store, 'pro', 'other@example.org');
  const done: string[] = [];
  const read = async (name: string, key: string) => {
    await get(gateway, '/api/saga/snapshot/1.1?format=csv&csv=spreadsheet', key);
    done.push(name);
  };
  const many = Array.from({ length: 6 }, (_, at) => read(`many ${at}`, gateway.keys.pro));
  await Promise.all([...many, read('other', other)]);
  assert.ok(done.indexOf('other') < 5, done.join(', '));
});

bulk('are in formats that /api/games lists, each with the oldest build that has it', async ({ gateway }) => {
  const { text } = await get(gateway, '/api/games', gateway.keys.pro);
  const [{ formats }] = JSON.parse(text).games;
  assert.equal(formats, { json: '1.0', ndjson: '1.0', csv: '1.0', sqlite: '1.0' });
});

bulk('protect texts, also quoted ones, and neither numbers nor lists of them', async () => {
  const raw = 'id,note\r\n-5,=1+1\r\n-1.5e3|2,"=A1,B1"\r\n+1,"a,=b ""@c"""\r\n@x,\r\n';
  const safe = 'id,note\r\n-5,\'=1+1\r\n-1.5e3|2,"\'=A1,B1"\r\n\'+1,"a,=b ""@c"""\r\n\'@x,\r\n';
  assert.is((await protectCells(raw)).toString(), `\ufeff${safe}`);
  const long = `${'é,'.repeat(50_000)}=1\r\n`;
  assert.is((await protectCells(long)).toString(), `\ufeff${long.replace('=', "'=")}`);
});

bulk('have a signed link that needs no key', async ({ gateway }) => {
  for (const choice of ['format=sqlite', 'format=ndjson&collection=characters']) {
    const issued = (await gateway.ask(`/api/saga/snapshot/1.0?via=link&${choice}`)).json<{
      url: string;
      bytes: number;
      sha256: string;
    }>();
    const file = await get(gateway, issued.url, null);
    assert.equal([file.status, file.bytes.length], [200, issued.bytes], choice);
    assert.is(createHash('sha256').update(file.bytes).digest('hex'), issued.sha256);
  }
});

bulk('never name a build that is newer than the one of the signed link', async ({ gateway }) => {
  const choice = 'format=csv&collection=pull_planner';
  const [old = '', latest = ''] = await Promise.all(
    ['1.0', 'latest'].map(async (build) => {
      const link = await gateway.ask(`/api/saga/snapshot/${build}?via=link&${choice}`);
      return link.json<{ url: string }>().url.split('?')[0];
    }),
  );
  assert.is(old, latest, 'both builds have the same file');
  const { url } = (await gateway.ask(`/api/saga/snapshot/1.0?via=link&${choice}`)).json<{ url: string }>();
  const { headers } = await get(gateway, url, null);
  assert.equal(
    ['game-build', 'content-disposition'].map((name) => headers.get(name)),
    ['1.0', 'attachment; filename="saga-1.0.pull_planner.csv"'],
  );
});

bulk('are one in a UTC day for a free account, of the build that it may see', async ({ gateway }) => {
  const { free } = gateway.keys;
  for (const choice of [
    'format=csv',
    'format=sqlite',
    'format=csv&collection=characters',
    'via=link&format=csv',
  ])
    assert.equal((await gateway.ask(`/api/saga/snapshot/1.0?${choice}`, { key: free })).status, 403);
  const first = await get(gateway, '/api/saga/bulk?format=ndjson', free);
  assert.match(first.headers.get('ratelimit') ?? '', /^"minute";r=\d;/);
  assert.equal([first.status, first.headers.get('game-build')], [200, '1.0']);
  const texts = Object.values(unzipSync(first.bytes)).map((file) => strFromU8(file));
  assert.not.match(texts.join(), /fresh|1\.1/i);
  const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
  assert.is((await get(gateway, '/api/saga/bulk?format=ndjson', free, known)).status, 304);
  const second = await gateway.ask('/api/saga/bulk', { key: free });
  assert.is(second.status, 429);
  const problem = second.json<{ code: string; 'violated-policies': string[] }>();
  assert.equal([problem.code, problem['violated-policies']], ['quota-exceeded', ['bulk']]);
  assert.match(second.headers.get('retry-after') ?? '', /^\d+$/);
  // Other requests, and other accounts, are not affected; the next day it is possible again.
  assert.is((await gateway.ask('/api/saga/characters', { key: free })).status, 200);
  const other = await issueKey(gateway.store, 'free', 'other@example.org');
  const json = await gateway.ask('/api/saga/bulk', { key: other });
  assert.equal([json.status, json.json<{ build: string }>().build], [200, '1.0']);
  gateway.clock.now += 12 * 3_600_000;
  const one = await get(gateway, '/api/saga/bulk?format=csv&collection=characters', free);
  assert.equal([one.status, one.text], [200, 'id,name\r\nann,Ann\r\nfresh,Freshling\r\n']);
  assert.is((await get(gateway, '/api/saga/bulk?format=sqlite', free)).status, 429);
});

bulk('are one in a UTC day for all accounts of a person', async ({ gateway }) => {
  const { store } = gateway;
  const statusFor = async (email: string, address: string) => {
    const key = await issueKey(store, 'free', email);
    return (await get(gateway, '/api/saga/bulk', key, { 'X-Forwarded-For': address })).status;
  };
  assert.is(await statusFor('bulker+1@example.org', '198.51.100.1'), 200);
  assert.is(await statusFor('bulker+2@example.org', '203.0.113.2'), 429, 'another tag');
  assert.is(await statusFor('bulker@example.org', '203.0.113.3'), 429, 'no tag');
  await deleteAccount(store, 'bulker+1@example.org');
  assert.is(await statusFor('bulker+1@example.org', '203.0.113.4'), 429, 'opened again');
});

for (const [what, most, addressOf] of [
  ['IPv4 address', 4, () => '192.0.2.1'],
  ['IPv6 /56', 6, (n) => `2001:db8:1:1${n}::1`],
  ['IPv6 /48', 12, (n) => `2001:db8:2:${n}00::1`],
] as [string, number, (n: number) => string][])
  bulk(`are ${most} at once for all free accounts of one ${what}`, async ({ gateway }) => {
    const ask = async (n: number, key: string) =>
      await get(gateway, '/api/saga/bulk', key, { 'X-Forwarded-For': addressOf(n) });
    const name = what.replace(/\W/g, '');
    for (let n = 0; n < most; n++)
      assert.is((await ask(n, await issueKey(gateway.store, 'free', `${name}${n}@example.org`))).status, 200);
    const last = await issueKey(gateway.store, 'free', `${name}-last@example.org`);
    const refused = await ask(most, last);
    assert.is(refused.status, 429);
    assert.match(refused.text, /"violated-policies":\["bulk-network"\]/);
    const elsewhere = await get(gateway, '/api/saga/bulk', last, { 'X-Forwarded-For': `198.51.${most}.9` });
    assert.is(elsewhere.status, 200, 'what was refused did not count for the account');
    assert.is((await ask(0, gateway.keys.pro)).status, 200);
  });

bulk('that cannot be read do not count', async ({ gateway }) => {
  const key = await issueKey(gateway.store, 'free', 'third@example.org');
  const folder = path.join(gateway.dist, 'saga');
  const files = (await readdir(folder)).filter((file) => file.startsWith('bulk.csv.'));
  for (const file of files) await rename(path.join(folder, file), path.join(folder, `${file}.away`));
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', key)).status, 503);
  for (const file of files) await rename(path.join(folder, `${file}.away`), path.join(folder, file));
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', key)).status, 200);
  assert.is((await get(gateway, '/api/saga/bulk?format=csv', key)).status, 429);
});

bulk.run();
