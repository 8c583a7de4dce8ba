import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send, Traffic } from '../campaigns/traffic.ts';
import { exchange } from '../support/exchange.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { type RandomRequest, randomRequest } from './random-requests.ts';
import { sendParts } from './raw-client.ts';
import { fillForm, SMUGGLING_FORMS } from './smuggling.ts';
import { readSurface } from './surface.ts';

const AT_ONCE = 16;
/** How a client sees that its connection was reset, perhaps while it was sending. */
const RESET = /the connection failed: .*(ECONNRESET|EPIPE)/;
/** nginx itself responds 501 or 505 to what it does not implement. */
const FAULT = /HTTP\/1\.1 5(?!01|05)\d\d/;

/** Requests that a proxy and a gateway may read differently, and requests that are wrong in any way. */
export const campaign: AttackCampaign = {
  name: 'raw requests',
  about:
    'smuggled and damaged requests, directly and through nginx: no 5xx, no hang, no response to a hidden request, none to another client; a reset only while a large body follows a refused head',
  needs: ['nginx'],
  async run(terms) {
    const fleet = await Fleet.open({ args: ['--trusted-proxy', '1'] });
    const tally = new Tally(terms);
    try {
      const [key = ''] = await fleet.issueKeys('pro', ['ada@example.org']);
      const make = await damagedRequests(key, terms);
      const others = watchOthers(fleet, key, tally);
      await smuggle(fleet, key, tally);
      while (!terms.isOver()) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, () => sendDamaged(fleet.address(0), make(), tally)),
        );
      }
      await others.stop();
      await checkLogs(fleet, tally);
    } finally {
      await fleet.close();
    }
    return tally.figures;
  },
};

/** Sends valid requests through nginx, each of which shows whether its response is its own. */
function watchOthers({ front }: Fleet, key: string, tally: Tally): Traffic {
  let sent = 0;
  return new Traffic(2, async () => {
    const name = `other-${++sent}`;
    const outcome = await send(`${front}/api/saga/characters/${name}`, key);
    if (outcome.status !== 404 || !outcome.text.includes(`"${name}\\"`)) {
      tally.gotThrough(`another client, ${name}: ${outcome.status} ${outcome.text.slice(0, 200)}`);
    }
    return outcome;
  });
}

/** Sends every form of a hidden request, to a gateway and to nginx. */
async function smuggle(fleet: Fleet, key: string, tally: Tally): Promise<void> {
  const targets = [fleet.address(0), fleet.front];
  const cases = SMUGGLING_FORMS.flatMap((form) => targets.map((target) => ({ form, target })));
  const trySome = async () => {
    for (let next = cases.pop(); next; next = cases.pop()) await smuggleOnce(next, fleet, key, tally);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, trySome));
}

async function smuggleOnce(
  { form, target }: { form: (typeof SMUGGLING_FORMS)[number]; target: string },
  fleet: Fleet,
  key: string,
  tally: Tally,
): Promise<void> {
  const mark = `hidden-${tally.figures.tried}`;
  tally.tried();
  const hidden = `GET /api/saga/characters/${mark} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
  const response = await sendParts(target, { parts: [fillForm(form, key, hidden)], ends: true }).catch(
    String,
  );
  const text = response.toString('latin1');
  const name = `${JSON.stringify(form.name.slice(0, 200))} ${target === fleet.front ? 'through nginx' : 'directly'}`;
  if (typeof response === 'string') tally.gotThrough(`${name}: ${response}`);
  else if (FAULT.test(text)) tally.gotThrough(`${name}: ${text.slice(0, 200)}`);
  // nginx may read both as requests of this client. That is its decision; what matters is what others get.
  else if (target !== fleet.front && text.includes(mark)) {
    tally.gotThrough(`${name}: the hidden request got a response: ${text.slice(0, 500)}`);
  }
}

/** Returns a function that makes requests that are wrong in any way, to every address. */
async function damagedRequests(key: string, { random }: Terms) {
  const { operations, pages, posts } = await readSurface();
  const VALUES: Record<string, string> = { game: 'saga', id: 'u1', build: 'latest', dataset: 'pull_planner' };
  const fill = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? 'x');
  const paths = [...operations.map(({ path }) => path), ...pages, ...posts].map(fill);
  return () => randomRequest({ paths, keys: [key, 'gdr_x', pick(['', key.toUpperCase()], random)] }, random);
}

async function sendDamaged(address: string, request: RandomRequest, tally: Tally): Promise<void> {
  tally.tried();
  const what = () => JSON.stringify(request.bytes.toString('latin1', 0, 500));
  try {
    const responses = await exchange(address, request);
    const bad = responses.find(({ status }) => status >= 500);
    if (bad) tally.gotThrough(`${what()}: ${bad.status} ${bad.body}`);
  } catch (error) {
    const { message } = error as Error;
    if (request.mayReset && RESET.test(message)) return;
    tally.gotThrough(`${what()}: ${message}`);
  }
}

/** Ends the gateways, and looks for errors that they logged. */
async function checkLogs(fleet: Fleet, tally: Tally): Promise<void> {
  for (let index = 0; index < fleet.count; index++) {
    await fleet.end(index, 'SIGTERM');
    const log = await fleet.logOf(index);
    const failure = log.split('\n').find((line) => line.includes('"level":"error"'));
    if (failure) tally.gotThrough(`a gateway logged ${failure.slice(0, 500)}`);
  }
}
