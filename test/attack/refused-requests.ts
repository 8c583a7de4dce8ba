import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../gateway/store/open-store.ts';
import { createKey } from '../../gateway/access/api-key.ts';
import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { startSmtp, type TestSmtp } from '../gateway/people/mail/smtp-server.ts';
import { type RedisServer, sendToRedis, startRedis } from '../gateway/store/redis-server.ts';
import { sendPlainly } from '../support/plain-request.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { LeakRequests } from './leak-requests.ts';
import { PLATFORM_SETTINGS, readSurface } from './surface.ts';

/** How many requests are sent in a minute of the campaign's time, however long they take. */
const REQUESTS_A_MINUTE = 100_000;
/** How many clients send at the same time. */
const LANES = 12;
/** Forms that ask for a mail, and an email address whose mails are used up before. */
const MAIL_FORMS = ['/signup', '/account'];
const SPENT = 'ada@example.org';
/** A network whose mails are used up before. */
const SPENT_NETWORK = '2001:db8:5bad:1';
const MAILS_TO_ADDRESS = 16;
const MAILS_FROM_NETWORK = 20;

/** A store, and the names of all that it keeps. */
interface Kept {
  name: string;
  fleet: Fleet;
  list(): Promise<string[]>;
}

/** Requests without a key, from many networks, to each form and address. Limits that are reached refuse all mails. */
export const campaign: AttackCampaign = {
  name: 'refused requests',
  about:
    'requests without a valid key or link to every route, page and form, from many networks: afterwards the store keeps what it kept before',
  needs: ['redis-server'],
  async run(terms) {
    const tally = new Tally(terms);
    const [redis, smtp] = await Promise.all([startRedis(), startSmtp()]);
    const stores: Kept[] = [];
    try {
      stores.push(await openOnRedis(redis, smtp), await openInFolder(smtp));
      await Promise.all(stores.map(({ fleet }) => spendMails(fleet.address(0))));
      const before = await Promise.all(stores.map(({ list }) => list()));
      const mails = smtp.mails.length;
      await attack(stores, terms, tally);
      const extra = await Promise.all(stores.map((kept, index) => findExtra(kept, before[index] ?? [])));
      for (const found of extra.flat()) tally.gotThrough(found);
      if (smtp.mails.length !== mails) tally.gotThrough(`${smtp.mails.length - mails} mails were sent`);
    } finally {
      await Promise.all(stores.map(({ fleet }) => fleet.close()));
      await Promise.all([redis.remove(), smtp.stop()]);
    }
    return tally.figures;
  },
};

function openFleet(smtp: TestSmtp, store?: string): Promise<Fleet> {
  const args = '--host 0.0.0.0 --public-url https://api.example.org --trusted-proxy 1'.split(' ');
  const env = { ...PLATFORM_SETTINGS, SMTP_URL: smtp.url, MAIL_FROM: 'Games <mail@example.org>' };
  return Fleet.open({ count: 1, hasFront: false, args, env, ...(store !== undefined && { store }) });
}

async function openOnRedis(redis: RedisServer, smtp: TestSmtp): Promise<Kept> {
  const fleet = await openFleet(smtp, redis.address);
  const listKeys = async () => (await sendToRedis(redis, ['KEYS', '*'])) as string[];
  return {
    name: 'Redis',
    fleet,
    list: async () => [...(await listRecords(redis.address)), ...(await listKeys())],
  };
}

async function openInFolder(smtp: TestSmtp): Promise<Kept> {
  const fleet = await openFleet(smtp);
  const list = async () => [...(await listRecords(fleet.store)), ...(await listCounterFiles(fleet.store))];
  return { name: 'the folder', fleet, list };
}

/** The names of records; of limits also the values, since many are in one record. */
async function listRecords(address: string): Promise<string[]> {
  const store = await openStore(address);
  try {
    const records = await store.dump({ after: '', limit: 1_000_000 });
    return records.map(({ name, value }) => (name.startsWith('allowances:') ? `${name} ${value}` : name));
  } finally {
    await store.close();
  }
}

/** The files of counters with their sizes, which grow with what is counted. */
async function listCounterFiles(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  const counted = files.filter((file) => /quota|counter/.test(file));
  return Promise.all(
    counted.map(async (file) => `${file}: ${(await stat(path.join(folder, file))).size} bytes`),
  );
}

/** Uses up the mails to an address and from a network, so that further ones are refused from everywhere. */
async function spendMails(address: string): Promise<void> {
  for (const form of MAIL_FORMS) {
    for (let n = 0; n < MAILS_TO_ADDRESS; n++)
      await sendForm(address + form, { email: SPENT }, `198.18.${n}.1`);
    for (let n = 0; n < MAILS_FROM_NETWORK; n++)
      await sendForm(address + form, { email: `spent${n}@example.org` }, `${SPENT_NETWORK}::${n}`);
  }
}

async function attack(stores: readonly Kept[], { seconds, random }: Terms, tally: Tally): Promise<void> {
  const requests = new LeakRequests(await readSurface(), random);
  let left = Math.round((REQUESTS_A_MINUTE * seconds) / 60);
  const lane = async () => {
    while (left-- > 0) {
      const { fleet } = pick(stores, random);
      await sendOne(fleet.address(0), requests, random);
      tally.tried();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Sends a request of any kind from any network. */
async function sendOne(address: string, requests: LeakRequests, random: () => number): Promise<void> {
  const network = randomNetwork(random);
  const email = `someone${Math.floor(random() * 1e9)}@example.org`;
  const kind = Math.floor(random() * 5);
  if (kind === 0) {
    await sendForm(address + pick(MAIL_FORMS, random), { email: SPENT }, network);
  } else if (kind === 1) {
    const from = `${SPENT_NETWORK}::${Math.floor(random() * 65_536).toString(16)}`;
    await sendForm(address + pick(MAIL_FORMS, random), { email }, from);
  } else if (kind === 2) {
    const { target, fields = {} } = requests.toForm();
    await sendForm(
      address + target,
      { ...fields, email: pick(['', 'x', '@', email.slice(0, -4)], random) },
      network,
    );
  } else {
    const { method, target, headers, isStream } = kind === 3 ? requests.toApi() : requests.toPage();
    const key = pick(['', 'gdr_x', createKey().key], random);
    const close = isStream ? { connection: 'close' } : {};
    await sendPlainly(address + target, {
      method,
      headers: { ...headers, ...close, 'x-forwarded-for': network, ...(key !== '' && { 'x-api-key': key }) },
    });
  }
}

function randomNetwork(random: () => number): string {
  const group = (most: number) => Math.floor(random() * most);
  return random() < 0.5
    ? `10.${group(256)}.${group(256)}.${group(256)}`
    : `2001:db8:${group(65_536).toString(16)}:${group(65_536).toString(16)}::1`;
}

function sendForm(address: string, fields: Record<string, string>, network: string) {
  return sendPlainly(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': network,
    },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Finds what a store keeps that it did not keep before. */
async function findExtra({ name, list }: Kept, before: readonly string[]): Promise<string[]> {
  const known = new Set(before);
  return (await list()).filter((one) => !known.has(one)).map((one) => `${name} keeps ${one.slice(0, 100)}`);
}
