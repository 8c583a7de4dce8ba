import { connect } from 'node:net';
import type { Terms } from '../campaigns/campaign.ts';
import { type FaultCampaign, type Figures, noFigures } from './figures.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send, Traffic } from '../campaigns/traffic.ts';
import { readBack } from './read-back.ts';

/** Requests to start from; `KEY` becomes a Pro key. */
const REQUESTS = [
  'GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=5-2\r\n\r\n',
  'GET /terms HTTP/1.1\r\nHost: a\r\nRange: bytes=0-0,5-\r\n\r\n',
  'GET /api/saga/characters?rarity[gte]=1&sort=-rarity&limit=3 HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n',
  'GET /api/saga/characters/u1 HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nContent-Length: 3\r\n\r\nabc',
  'GET /api/saga/snapshot/latest HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nRange: bytes=9-3\r\n\r\n',
  'POST /signup HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\nemail=a',
  'POST /webhooks/ko-fi HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndata\r\n0\r\n\r\n',
  'OPTIONS /api/games HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\n\r\n',
];
const BYTES = [
  '\0',
  '%',
  '%00',
  '%ff',
  '..',
  '/',
  '?',
  '&',
  '=',
  '[',
  ']',
  ':',
  ',',
  '\t',
  '\u00e9',
  '9'.repeat(400),
  'A'.repeat(9000),
];
/** How long a response may take; an incomplete request gets none before that. */
const MAX_MS = 3000;

/** Malformed requests reach a gateway directly and through nginx, while another client sends valid ones. */
export const campaign: FaultCampaign = {
  name: 'malformed requests',
  about: 'malformed requests: each gets a response that is not a 5xx, and other clients notice nothing',
  rounds: { short: 20, full: 400 },
  needs: ['nginx'],
  async run(terms) {
    const fleet = await Fleet.open();
    const figures = noFigures();
    try {
      const [key = ''] = await fleet.issueKeys('pro', ['ada@example.org']);
      const others = new Traffic(
        2,
        () => send(`${fleet.front}/api/saga/characters?rarity=2`, key),
        ({ status, text }) => {
          if (status === 200) return;
          figures.lost++;
          terms.report(`another client: ${status} ${text.slice(0, 200)}`);
        },
      );
      while (!terms.isOver()) {
        const target = terms.random() < 0.5 ? fleet.front : fleet.address(0);
        await Promise.all(Array.from({ length: 8 }, () => tryAltered(target, key, terms, figures)));
      }
      await others.stop();
      await readBack(fleet, terms, figures);
    } finally {
      await fleet.close();
    }
    return figures;
  },
};

async function tryAltered(
  target: string,
  key: string,
  { random, report }: Terms,
  figures: Figures,
): Promise<void> {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const [head = '', body = ''] = pick(REQUESTS).replace('KEY', key).split('\r\n\r\n', 2);
  const at = Math.floor(random() * head.length);
  const altered =
    random() < 0.2 ? head : head.slice(0, at) + pick(BYTES) + head.slice(at + Math.floor(random() * 4));
  const response = await exchange(target, `${altered}\r\n\r\n${body}`);
  figures.tried++;
  // nginx itself responds 501 or 505 to what it does not implement.
  const fault = response === '' ? 'lost' : /^HTTP\/1\.1 5(?!01|05)/.test(response) ? 'wrong' : undefined;
  if (!fault) return;
  figures[fault]++;
  report(`${JSON.stringify(altered)} got ${JSON.stringify(response.slice(0, 200))}`);
}

/** Sends bytes. @returns the beginning of the response; `waiting` if the server waits for more; empty if it closed the connection without one */
function exchange(target: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(target).port), '127.0.0.1', () => socket.write(bytes));
    const end = (response: string) => {
      clearTimeout(timer);
      resolve(response);
      socket.destroy();
    };
    const timer = setTimeout(() => end('waiting'), MAX_MS);
    socket.on('data', (part) => end(String(part)));
    socket.on('error', () => end(''));
    socket.on('close', () => end(''));
  });
}
