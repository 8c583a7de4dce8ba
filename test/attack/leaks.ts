import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Tier } from '../../gateway/access/account.ts';
import type { Terms } from '../campaigns/campaign.ts';
import { startSmtp, type TestSmtp } from '../gateway/people/smtp-server.ts';
import { type PlainResponse, sendPlainly } from '../support/plain-request.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { type LeakRequest, LeakRequests } from './leak-requests.ts';
import { enter, openWorlds, PRO_WORD, SECRET_WORD, type World, type Worlds } from './leak-worlds.ts';
import { readSurface } from './surface.ts';

/** How many clients send at the same time. */
const LANES = 6;
/** What a free account may send in a minute; then the client goes on with another account. */
const CAP = 9;
/** What differs between two responses although they reveal nothing: times, and what is random. */
const CHANGING_HEADERS = ['date', 'x-request-id', 'ratelimit', 'retry-after', 'set-cookie'];
const CHANGING_TEXTS = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g,
  /gd[rf]_[a-z2-7]{8,}/g,
  /\b[0-9a-z]{31}\b/g,
  /\b[0-9a-f]{64}\b/g,
  /\b[0-9a-f]{16}\b/g,
  /whsec_[\w+/=]+/g,
  /"used":\d+,"remaining":\d+/g,
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?/g,
  /expires=\d+|signature=[\w-]+|"t=\d+|(in|before) \d+ (s|seconds|minutes|hours)/g,
];
/** The validator of what contains the times of the caller's own requests. */
const PERSONAL = /^\/api\/me\b/;
/** Responses that are chosen at random: what they contain is searched, not compared. */
const RANDOM = /\/characters\/random(?:\?|$)/;
/** What no response may contain in any world. */
const INNER = /\bat (async )?[\w.#<>]+ \(|node:internal|node_modules|\.ts:\d+|\.js:\d+/;

/** How a client is known. */
type Client = { tier: Tier; send(request: LeakRequest, world: World): Promise<PlainResponse> };

/** Every address is asked for data that the client may not see, on a gateway that has the data and on one that has not. */
export const campaign: AttackCampaign = {
  name: 'leaks',
  about:
    'requests to every route, page and form of a gateway that holds secret data: the responses are those of a gateway without that data',
  needs: [],
  async run(terms) {
    const smtp = await startSmtp();
    const worlds = await openWorlds(smtp.url);
    try {
      return await lookForLeaks(worlds, smtp, terms);
    } finally {
      await worlds.close();
      await smtp.stop();
    }
  },
};

async function lookForLeaks(worlds: Worlds, smtp: TestSmtp, terms: Terms) {
  const tally = new Tally(terms);
  const requests = new LeakRequests(await readSurface(), terms.random);
  const lane = async (makeClient: () => Promise<Client>, make: () => LeakRequest) => {
    do {
      const client = await makeClient();
      for (let sent = 0; sent < CAP && !terms.isOver(); sent++) await compare(client, make());
    } while (!terms.isOver());
  };
  const look = async (client: Client, request: LeakRequest): Promise<string | undefined> => {
    const [full, lacking] = await Promise.all([
      client.send(request, worlds.full[client.tier]),
      client.send(request, worlds.lacking[client.tier]),
    ]);
    tally.tried();
    requests.learn(full.headers.etag);
    if (PERSONAL.test(request.target)) for (const { headers } of [full, lacking]) delete headers.etag;
    const isRandom = RANDOM.test(request.target);
    const [one, other] = isRandom ? [withoutBody(full), withoutBody(lacking)] : [full, lacking];
    return findLeak(one, other, worlds.secrets) ?? findWord(full, client.tier, request);
  };
  const compare = async (client: Client, request: LeakRequest) => {
    // A leak is there the second time too; a limit that one gateway reached a moment before the other is not.
    if ((await look(client, request)) === undefined) return;
    const fault = await look(client, request);
    if (fault !== undefined) tally.gotThrough(`${client.tier}: ${JSON.stringify(request)}: ${fault}`);
  };
  const toApi = () => requests.toApi();
  const toPage = () => (terms.random() < 0.5 ? requests.toPage() : requests.toForm());
  await Promise.all([
    ...Array.from({ length: LANES - 3 }, () => lane(() => keyClient(worlds, 'free'), toApi)),
    lane(() => keyClient(worlds, 'pro'), toApi),
    lane(
      async () => withoutKey(terms),
      () => (terms.random() < 0.5 ? toApi() : requests.toPage()),
    ),
    lane(() => sessionClient(worlds, terms.random() < 0.6 ? 'free' : 'pro'), toPage),
  ]);
  for (const { to, source } of smtp.mails) {
    if (new RegExp(`${SECRET_WORD}[-_ ](1|quest|items)`, 'i').test(source)) {
      tally.gotThrough(`a mail to ${to} has a word that nobody may see`);
    }
  }
  return tally.figures;
}

/** Finds a difference between the responses of a gateway that has the data and of one that has not. */
function findLeak(full: PlainResponse, lacking: PlainResponse, secrets: readonly string[]) {
  const [text, other] = [describe(full), describe(lacking)];
  const secret = secrets.find((one) => text.includes(one));
  if (secret) return `the response has ${secret}`;
  if (INNER.test(text)) return `the response shows code: ${text.slice(0, 300)}`;
  if (text === other) return undefined;
  const at = [...text].findIndex((character, index) => character !== other[index]);
  const near = (long: string) => JSON.stringify(long.slice(Math.max(0, at - 60), at + 60));
  return `${near(text)}, without the data ${near(other)}`;
}

/** A response without what depends on the records that were chosen for it. */
function withoutBody({ status, headers }: PlainResponse): PlainResponse {
  const { 'content-length': _, ...kept } = headers;
  return { status, headers: kept, body: Buffer.alloc(0) };
}

/** Finds a word of secret data in what is not compared, because it is chosen at random. Errors repeat requests. */
function findWord(response: PlainResponse, tier: Tier, { target }: LeakRequest): string | undefined {
  if (response.status !== 200 || !RANDOM.test(target)) return undefined;
  const words = tier === 'pro' ? [SECRET_WORD] : [SECRET_WORD, PRO_WORD];
  const text = decode(response).toString('latin1');
  return words.find((word) => text.includes(`"${word}`)) && `the response has ${text}`;
}

/** The status, header fields and decoded body of a response, without what changes with each response. */
function describe({ status, headers, body }: PlainResponse): string {
  const kept = Object.entries(headers).filter(([name]) => !CHANGING_HEADERS.includes(name));
  const text = `${status} ${JSON.stringify(kept)} ${decode({ status, headers, body }).toString('latin1')}`;
  return CHANGING_TEXTS.reduce((rest, pattern) => rest.replace(pattern, '~'), text);
}

function decode({ status, headers, body }: PlainResponse): Buffer {
  const coding = status !== 206 && body.length > 0 ? headers['content-encoding'] : undefined;
  return coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
}

async function keyClient(worlds: Worlds, tier: Tier): Promise<Client> {
  const key = await worlds.issueKey(tier);
  return { tier, send: (request, { fleet }) => sendTo(fleet.address(0), request, { 'x-api-key': key }) };
}

function withoutKey({ random }: Terms): Client {
  const keys: Record<string, string>[] = [
    {},
    { 'x-api-key': 'gdr_x' },
    { 'x-api-key': `gdr_${'a'.repeat(39)}` },
  ];
  const headers = keys[Math.floor(random() * keys.length)];
  const network = `10.9.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`;
  return {
    tier: 'free',
    send: (request, { fleet }) =>
      sendTo(fleet.address(0), request, { ...headers, 'x-forwarded-for': network }),
  };
}

/** A visitor who is signed in to an account. The session of each world is another. */
async function sessionClient(worlds: Worlds, tier: Tier): Promise<Client> {
  const tokens = new Map<World, string>();
  const network = `10.8.${tokens.size}.${Math.floor(performance.now()) % 256}`;
  for (const world of [worlds.full[tier], worlds.lacking[tier]]) tokens.set(world, await enter(world, tier));
  return {
    tier,
    send(request, world) {
      const token = tokens.get(world) ?? '';
      const headers = { cookie: `__Host-session=${token}`, 'x-forwarded-for': network };
      return sendTo(world.fleet.address(0), request, headers);
    },
  };
}

function sendTo(
  address: string,
  { method, target, headers, fields }: LeakRequest,
  more: Record<string, string>,
): Promise<PlainResponse> {
  const all = { ...headers, ...more };
  if (!fields) return sendPlainly(address + target, { method, headers: all });
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  return sendPlainly(address + target, {
    method,
    headers: { ...all, ...form },
    body: new URLSearchParams(fields).toString(),
  });
}
