import { createHash } from 'node:crypto';
import { createKey, createToken, FEED_MARK } from '../../gateway/access/api-key.ts';
import { sendPlainly } from '../support/plain-request.ts';
import { alterOne, type ForgeryWorld } from './forgery-world.ts';

const HOUR_SECONDS = 3600;
const FEED_TOKENS = 10;

/** Guesses keys, and uses keys where they do not belong. */
export async function forgeKeys(world: ForgeryWorld): Promise<void> {
  const { fleet, victim, random, tally, elsewhere } = world;
  const { key } = victim;
  const near = createKey((size) => Buffer.alloc(size, Math.floor(random() * 256))).key;
  const guesses = [
    ...[
      createKey().key,
      near,
      alterOne(key, random),
      key.toUpperCase(),
      key.slice(0, -1),
      `${key}a`,
      key.slice(4),
    ],
    ...[
      key.slice(0, 12),
      createHash('sha256').update(key).digest('hex'),
      `${key},${key}`,
      `Bearer ${key}`,
      `"${key}"`,
    ],
    ...[
      createToken(FEED_MARK).token,
      victim.account.id,
      '__proto__',
      '*',
      ' ',
      'gdr_',
      `${key.slice(0, 12)}${near.slice(12)}`,
    ],
  ];
  const address = fleet.address(random() < 0.5 ? 0 : 1);
  const attempts = [
    ...guesses.map((guess) => ({ path: '/api/me', headers: { 'x-api-key': guess } })),
    { path: `/api/me?x-api-key=${key}&api_key=${key}&key=${key}`, headers: {} },
    { path: '/api/me', headers: { cookie: `x-api-key=${key}; key=${key}` } },
    { path: '/api/me', headers: { authorization: `Basic ${btoa(`${key}:`)}` } },
    { path: '/api/me', headers: { 'x-api-key': [key, near] } },
  ];
  for (const { path, headers } of attempts) {
    tally.tried();
    const { status, body } = await sendPlainly(address + path, { headers: { ...headers, ...elsewhere() } });
    if (status < 400 || status >= 500)
      tally.gotThrough(`${JSON.stringify({ path, headers })}: ${status} ${body}`);
  }
  const mine = await sendPlainly(`${address}/api/me`, { headers: { 'x-api-key': key, ...elsewhere() } });
  if (mine.status !== 200) tally.gotThrough(`after the guesses, the key itself got ${mine.status}`);
  await forgeFeeds(world, address);
}

async function forgeFeeds({ tally, elsewhere }: ForgeryWorld, address: string): Promise<void> {
  for (let guess = 0; guess < FEED_TOKENS; guess++) {
    tally.tried();
    const target = `${address}/feeds/${createToken(FEED_MARK).token}`;
    const { status } = await sendPlainly(target, { headers: elsewhere() });
    if (status < 400) tally.gotThrough(`a guessed feed got ${status}`);
  }
}

/** Alters a signed address of a snapshot: its file, its time, its signature. */
export async function forgeDownloads(world: ForgeryWorld): Promise<void> {
  const { fleet, victim, random, tally } = world;
  const address = fleet.address(0);
  const headers = { 'x-api-key': victim.key };
  const link = await sendPlainly(`${address}/api/saga/snapshot/latest?via=link`, { headers });
  const { url } = JSON.parse(link.body.toString()) as { url: string };
  const signed = new URL(url, address);
  const { pathname, search, searchParams } = signed;
  const signature = searchParams.get('signature') ?? '';
  const expires = Number(searchParams.get('expires'));
  const target = (changes: Record<string, string>, file = pathname) =>
    `${file}?${new URLSearchParams({ expires: String(expires), signature, ...changes })}`;
  const own = await sendPlainly(address + pathname + search);
  if (own.status !== 200) tally.gotThrough(`the signed address itself got ${own.status}`);
  const forged = [
    target({ expires: String(expires + HOUR_SECONDS) }),
    target({ expires: String(expires * 1000) }),
    target({ expires: `${expires}0` }),
    target({ expires: '9e99' }),
    target({ expires: 'Infinity' }),
    target({ expires: '' }),
    target({ signature: '' }),
    target({ signature: alterOne(signature.slice(0, -1), random) + signature.slice(-1) }),
    target({ signature: 'A'.repeat(signature.length) }),
    target({}, pathname.replace(/[^/]+$/, 'index.json')),
    target({}, pathname.replace(/^\/files\/\w+/, '/files/other')),
    target({}, pathname.replace(/^\/files\//, '/files/x%2f..%2f')),
    target({}, `${pathname}%00`),
    `${target({})}&expires=${expires + HOUR_SECONDS}`,
    pathname,
  ];
  for (const path of forged) {
    tally.tried();
    const { status } = await sendPlainly(address + path);
    if (status < 400) tally.gotThrough(`${path} got ${status}`);
  }
}
