import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { type RawResponse, readResponses } from '../support/exchange.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { sendParts } from './raw-client.ts';

/** How many connections are open at once. */
const CONNECTIONS = 12;
const ACCOUNTS = 24;
const MAX_REQUESTS = 16;

/** A request, and how its response is recognized. */
interface Marked {
  bytes: string;
  isOwn(response: RawResponse, text: string): boolean;
}

/** Requests of different keys share connections, directly and behind nginx. */
export const campaign: AttackCampaign = {
  name: 'mixed connections',
  about:
    'pipelined requests of many keys on one connection, in any pieces: each response belongs to its request',
  needs: ['nginx'],
  async run(terms) {
    const fleet = await Fleet.open({ args: ['--trusted-proxy', '1'] });
    const tally = new Tally(terms);
    try {
      const emails = Array.from({ length: ACCOUNTS }, (_, index) => `ada-${index}@example.org`);
      const [pro, free] = [emails.slice(4), emails.slice(0, 4)];
      const keys = [...(await fleet.issueKeys('pro', pro)), ...(await fleet.issueKeys('free', free))];
      while (!terms.isOver()) {
        await Promise.all(
          Array.from({ length: CONNECTIONS }, () => {
            const target = pick([fleet.front, fleet.address(0), fleet.address(1)], terms.random);
            return pipeline(target, keys, terms, tally);
          }),
        );
      }
    } finally {
      await fleet.close();
    }
    return tally.figures;
  },
};

async function pipeline(address: string, keys: readonly string[], { random }: Terms, tally: Tally) {
  const count = 1 + Math.floor(random() * MAX_REQUESTS);
  const requests = Array.from({ length: count }, (_, index) =>
    makeRequest(pick(keys, random), index === count - 1, random),
  );
  const bytes = Buffer.from(requests.map((request) => request.bytes).join(''));
  const responses = readResponses(await sendParts(address, { parts: cut(bytes, random) }), false, true);
  tally.tried(count);
  if (responses.length !== count) tally.gotThrough(`${count} requests got ${responses.length} responses`);
  for (const [index, response] of responses.entries()) {
    const text = response.body.toString();
    if (requests[index]?.isOwn(response, text)) continue;
    tally.gotThrough(
      `${JSON.stringify(requests[index]?.bytes)} got ${response.status} ${text.slice(0, 200)}`,
    );
  }
}

/** Makes a request whose response shows to whom it belongs. */
function makeRequest(key: string, isLast: boolean, random: () => number): Marked {
  const number = Math.floor(random() * 1e9);
  const head = (path: string, name = key) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${name}\r\nX-Request-Id: id-${number}\r\nX-Forwarded-For: 10.0.0.9\r\n${isLast ? 'Connection: close\r\n' : ''}\r\n`;
  const unit = `u${number % 50}`;
  const has = (part: string) => (response: RawResponse, text: string) =>
    response.status === 429 || text.includes(part);
  const kinds: (() => Marked)[] = [
    () => ({ bytes: head('/api/me'), isOwn: (_, text) => text.includes(`"${key.slice(0, 12)}"`) }),
    () => ({ bytes: head(`/api/saga/characters/${unit}`), isOwn: has(`{"id":"${unit}"`) }),
    () => ({
      bytes: head(`/api/saga/characters?limit=1&offset=${number}`),
      isOwn: has(`"offset":${number}`),
    }),
    () => ({ bytes: head(`/api/saga/characters/x-${number}`), isOwn: has(`x-${number}`) }),
    () => ({
      bytes: head('/api/me', `gdr_${String(number).padEnd(39, 'a')}`),
      isOwn: ({ status }) => status === 401 || status === 429,
    }),
    () => ({ bytes: head(`/page-${number}`), isOwn: (_, text) => text.includes(`page-${number}`) }),
  ];
  return pick(kinds, random)();
}

/** Cuts bytes into up to eight pieces at random. */
function cut(bytes: Buffer, random: () => number): Buffer[] {
  const ends = Array.from({ length: Math.floor(random() * 8) }, () => Math.floor(random() * bytes.length));
  const sorted = [0, ...ends.sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
