import { request } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { exchange } from '../support/exchange.ts';
import { makeFolder } from '../support/fixtures.ts';
import { findFreePort } from '../support/free-port.ts';
import { type NginxServer, startNginx } from '../support/nginx-server.ts';
import { issueKeyIn } from '../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import { withPrograms } from '../support/skip.ts';
import { until } from '../support/until.ts';

const CLIENTS = 8;
/** How many responses other clients get during an event, and after it. */
const RESPONSES = 200;
/** How long after the first gateway is ready the second is restarted. */
const QUICKLY_MS = 300;

interface Context {
  folder: string;
  key: string;
  gateways: Gateway[];
  nginx: NginxServer;
}

const front = suite<Context>('nginx in front of two gateways');

/** A gateway that can be started again on the same port. */
class Gateway {
  readonly host: string;
  readonly #args: string[];
  #running: Running | undefined;

  constructor(port: number, folder: string) {
    this.host = `127.0.0.1:${port}`;
    const [dist, store] = [path.join(folder, 'dist'), path.join(folder, 'store')];
    this.#args = ['serve', '--port', String(port), '--dist', dist, '--store', store, '--access-log', 'off'];
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    this.#running = startCommand('gateway', this.#args);
    await this.#running.printed(/listening/);
    const isReady = () =>
      fetch(`http://${this.host}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#running?.child.kill(signal);
    await this.#running?.ended;
  }
}

front.before(async (context) => {
  const folder = await makeFolder('front');
  await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
  const key = await issueKeyIn(path.join(folder, 'store'), 'pro');
  const ports = [await findFreePort(), await findFreePort()];
  const gateways = ports.map((port) => new Gateway(port, folder));
  const [one, two] = gateways as [Gateway, Gateway];
  const nginx = await startNginx('front', { '10.0.0.11:3000': one.host, '10.0.0.12:3000': two.host });
  Object.assign(context, { folder, key, gateways, nginx });
  await Promise.all(gateways.map((gateway) => gateway.start()));
});
front.after(({ nginx }) => nginx.remove());

/** The status of a complete response, or the reason why there is none. */
function ask(address: string, key: string): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = request(address, { headers: { 'X-API-Key': key } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', (error) => resolve(error.message));
    });
    sent.on('error', (error) => resolve(error.message)).end();
  });
}

/** Sends requests during an event, and for a while after it. @returns the number of each outcome */
async function outcomesDuring({ nginx, key }: Context, happen: () => Promise<void>) {
  const outcomes = new Map<number | string, number>();
  let left = Number.POSITIVE_INFINITY;
  const client = async () => {
    for (const path of pathsForEver()) {
      if (left-- <= 0) return;
      const outcome = await ask(nginx.address + path, key);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  await happen();
  left = RESPONSES;
  await clients;
  return outcomes;
}

function* pathsForEver() {
  for (;;) yield* ['/api/games', '/api/star-rail/characters?limit=2', '/terms', '/api/me'];
}

const register = withPrograms(front, 'nginx');

register('others notice nothing of a quick rolling restart', async (context) => {
  const outcomes = await outcomesDuring(context, async () => {
    for (const gateway of context.gateways) {
      await gateway.stop('SIGTERM');
      await gateway.start();
      await new Promise((resolve) => setTimeout(resolve, QUICKLY_MS));
    }
  });
  assert.equal([...outcomes.keys()], [200], JSON.stringify([...outcomes]));
});

register('others notice nothing of a gateway that is killed', async (context) => {
  const [gateway] = context.gateways as [Gateway];
  const outcomes = await outcomesDuring(context, async () => {
    await gateway.stop('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, QUICKLY_MS));
    await gateway.start();
  });
  assert.equal([...outcomes.keys()], [200], JSON.stringify([...outcomes]));
});

register('others notice nothing of malformed requests, and those get a response', async (context) => {
  const body = Buffer.alloc(900_000, 'a');
  const form = 'Content-Type: application/x-www-form-urlencoded';
  const length = `Content-Length: ${body.length}`;
  const WRONG: [lines: string[], status: number, body?: Buffer][] = [
    [['GET / HTTP/1.1', 'Range: bytes=5-2'], 200],
    [['GET /terms HTTP/1.1', 'Range: bytes=9-'], 200],
    [['GET /problems HTTP/1.1', 'Range: bytes=a-b'], 200],
    [['POST /signup HTTP/1.1', form, length], 413, body],
    [['POST /webhooks/ko-fi HTTP/1.1', form, length], 404, body],
    [['GET /api/games HTTP/1.1', `X-API-Key: ${context.key}`, length], 400, body],
    [['POST /nowhere HTTP/1.1', length], 405, body],
  ];
  const outcomes = await outcomesDuring(context, async () => {
    for (let round = 0; round < 3; round++) {
      for (const [lines, status, sent = Buffer.alloc(0)] of WRONG) {
        const head = Buffer.from(`${[...lines, 'Host: x', 'Connection: close'].join('\r\n')}\r\n\r\n`);
        const [response] = await exchange(context.nginx.address, { bytes: Buffer.concat([head, sent]) });
        assert.is(response?.status, status, lines[0]);
      }
    }
  });
  assert.equal([...outcomes.keys()], [200], JSON.stringify([...outcomes]));
});

front.run();
