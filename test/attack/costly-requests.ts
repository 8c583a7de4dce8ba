import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { csrfTokenOf } from '../../gateway/people/accounts/session.ts';
import { openStore } from '../../gateway/store/open-store.ts';
import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { startSmtp } from '../gateway/people/mail/smtp-server.ts';
import { sendPlainly } from '../support/plain-request.ts';
import type { Attempt } from './attempt.ts';
import { COSTLY_GAME } from './costly-game.ts';
import { CostlyQueries } from './costly-queries.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { HostileText } from './hostile-text.ts';
import { MalformedRequests } from './malformed-requests.ts';
import { openAccount, SESSION_COOKIE, signIn } from './people.ts';
import { PLATFORM_SETTINGS, readSurface } from './surface.ts';

/** The most processor time that a request may cost, in runs of the calibration: about 20 ms where one takes 2.5 ms. */
const MAX_RUNS = 8;
/** How many of the costliest requests are kept and altered. */
const BEST = 12;
/** How often a request is measured again before it counts as one of them, and how often each of them is at the end. */
const REPEATS = 2;
const AGAIN = 9;
const WARM_UP = 60;
const SCHEDSTAT = '/proc/self/schedstat';

interface Measured {
  attempt: Attempt;
  ms: number;
}

/** The costliest requests that a client may send, well-formed and malformed, found by altering the costliest ones so far. */
export const campaign: AttackCampaign = {
  name: 'costly requests',
  about: `a search for the costliest request, also with malformed and long names, values, headers and JSON: none needs more processor time than ${MAX_RUNS} runs of a calibration, about 20 ms`,
  needs: [],
  lacks: existsSync(SCHEDSTAT) ? undefined : SCHEDSTAT,
  async run(terms) {
    const smtp = await startSmtp();
    const env = { ...PLATFORM_SETTINGS, SMTP_URL: smtp.url, MAIL_FROM: 'Games <mail@example.org>' };
    const args = '--host 0.0.0.0 --public-url https://api.example.org --trusted-proxy 1'.split(' ');
    const fleet = await Fleet.open({ count: 1, hasFront: false, files: COSTLY_GAME, env, args });
    const tally = new Tally(terms);
    try {
      const makers = await makersFor(fleet, terms);
      const searches = makers.map((make) => new Search(fleet, make, terms.random, tally));
      const tryNext = async () => {
        for (const search of searches) await search.tryNext();
      };
      for (let count = 0; count < WARM_UP; count++) await tryNext();
      for (const search of searches) search.forget();
      while (!terms.isOver()) await tryNext();
      for (const search of searches) {
        tally.tried(search.tried);
        await search.judgeBest();
      }
    } finally {
      await fleet.close();
      await smtp.stop();
    }
    return tally.figures;
  },
};

/** Makes what makes requests: of the free routes, as a client without caps. */
async function makersFor(fleet: Fleet, { random }: Terms): Promise<(() => Attempt)[]> {
  const store = await openStore(fleet.store);
  const { account, key } = await openAccount(store, 'pro', 'ada@example.org');
  const token = await signIn(store, account.id);
  await store.close();
  const surface = await readSurface();
  const operations = surface.operations.filter(({ isPro }) => !isPro);
  const queries = new CostlyQueries(key, operations, random);
  const credentials = { key, cookie: `${SESSION_COOKIE}=${token}`, csrfToken: csrfTokenOf({ token }) };
  const malformed = new MalformedRequests(
    { ...surface, operations },
    credentials,
    new HostileText(random),
    random,
  );
  return [() => queries.make(), () => malformed.make()];
}

/** Looks for the costliest request. */
class Search {
  readonly #fleet: Fleet;
  readonly #make: () => Attempt;
  readonly #random: () => number;
  readonly #tally: Tally;
  #best: Measured[] = [];
  tried = 0;

  constructor(fleet: Fleet, make: () => Attempt, random: Terms['random'], tally: Tally) {
    this.#fleet = fleet;
    this.#make = make;
    this.#random = random;
    this.#tally = tally;
  }

  /** Measures another request: a new one, or one of the costliest with a change. */
  async tryNext(): Promise<void> {
    const known = this.#random() < 0.4 ? pick(this.#best, this.#random) : undefined;
    const attempt = known ? known.attempt.alter() : this.#make();
    this.tried++;
    const least = this.#best.length < BEST ? 0 : (this.#best.at(-1)?.ms ?? 0);
    // The first time may include what the process does besides.
    for (let ms = await this.#measure(attempt), again = 0; ms > least; again++) {
      if (again === REPEATS) {
        this.#best.push({ attempt, ms });
        this.#best.sort((a, b) => b.ms - a.ms).splice(BEST);
        return;
      }
      ms = Math.min(ms, await this.#measure(attempt));
    }
  }

  /** Forgets what was measured before the gateway was warm. */
  forget(): void {
    this.#best = [];
    this.tried = 0;
  }

  /** Measures the costliest requests again, each beside the calibration, and compares the medians. */
  async judgeBest(): Promise<void> {
    for (const { attempt } of this.#best) {
      const [times, runs]: [number[], number[]] = [[], []];
      for (let count = 0; count < AGAIN; count++) {
        runs.push(calibrate());
        times.push(await this.#measure(attempt));
      }
      const [ms, run] = [medianOf(times), medianOf(runs)];
      this.#tally.took(ms);
      if (ms <= MAX_RUNS * run) continue;
      const { target, body = '' } = attempt.request();
      const shown = `${target.slice(0, 500)} ${body.slice(0, 500)}`;
      this.#tally.gotThrough(`${ms.toFixed(1)} ms, a run ${run.toFixed(1)} ms: ${attempt.what}: ${shown}`);
    }
  }

  /** @returns the processor time of all threads of the gateway for a request, in ms */
  async #measure(attempt: Attempt): Promise<number> {
    const { target, ...options } = attempt.request();
    const before = await readCpu(this.#fleet.pid(0));
    const response = await sendPlainly(this.#fleet.address(0) + target, options).catch(() => undefined);
    if (response !== undefined && response.status >= 500)
      this.#tally.gotThrough(`${response.status}: ${attempt.what}: ${target.slice(0, 500)}`);
    return (await readCpu(this.#fleet.pid(0))) - before;
  }
}

/** The calibration: work like that of a gateway, always the same. @returns its processor time in ms */
function calibrate(): number {
  const before = process.cpuUsage();
  for (let round = 0; round < CALIBRATION_ROUNDS; round++) {
    const parsed = JSON.parse(CALIBRATION_TEXT) as { name: string }[];
    JSON.stringify(parsed.sort((a, b) => (a.name < b.name ? -1 : 1)));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const CALIBRATION_ROUNDS = 2;
const CALIBRATION_TEXT = JSON.stringify(
  Array.from({ length: 1000 }, (_, at) => ({
    id: `unit-${at}`,
    name: `Name ${(at * 7919) % 1000}`,
    rarity: at % 5,
  })),
);

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** The processor time of all threads of a process, in ms. */
async function readCpu(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1e6;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
}
