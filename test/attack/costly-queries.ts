import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { sendPlainly } from '../support/plain-request.ts';
import { COSTLY_GAME, FACETS } from './costly-game.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { type Operation, readSurface } from './surface.ts';

/** The most processor time that a request of a free key may cost, with what a busy machine adds to it. */
const MAX_CPU_MS = 20;
const BUSY_FACTOR = 2;
/** How many of the costliest queries are kept and altered. */
const BEST = 12;
/** How often a query is measured again before it counts as one of them, and how often each of them is at the end. */
const REPEATS = 2;
const AGAIN = 9;
const WARM_UP = 100;
const MAX_OFFSET = 50;
const MAX_TARGET = 8000;
const LETTERS = [...'aeikmnrsto', ...'éßİσﬁ', ...'カガｶﾞ가각ㄱㅇ金', '\u0301', ' ', ' ', '-', '%', '\ufdfa'];
const ALL_FACETS = [...FACETS.texts, ...FACETS.lists, ...FACETS.numbers];
const OPERATORS = ['', '[ne]', '[exists]'];
const NUMBER_OPERATORS = ['', '[ne]', '[gte]', '[gt]', '[lte]', '[lt]'];
const CODINGS = ['identity', 'identity', 'gzip', 'br'];
const SCHEDSTAT = '/proc/self/schedstat';

type Parameter = [name: string, value: string];

/** A request: an address, its parameters, and a content coding. */
interface Query {
  operation: Operation;
  parameters: Parameter[];
  coding: string;
}

interface Measured {
  query: Query;
  ms: number;
}

/** The costliest requests that a free key may send, found by altering the costliest ones so far. */
export const campaign: AttackCampaign = {
  name: 'costly queries',
  about: `a search for the costliest request of a free key: none needs more than ${MAX_CPU_MS} ms of processor time`,
  needs: [],
  lacks: existsSync(SCHEDSTAT) ? undefined : SCHEDSTAT,
  async run(terms) {
    const fleet = await Fleet.open({ count: 1, hasFront: false, files: COSTLY_GAME });
    const tally = new Tally(terms);
    try {
      const [key = ''] = await fleet.issueKeys('pro', ['ada@example.org']);
      const { operations } = await readSurface();
      // What has no parameters costs the same every time.
      const free = operations.filter(({ isPro, query }) => !isPro && query.length > 1);
      const search = new Search(fleet, key, free, terms.random);
      for (let count = 0; count < WARM_UP; count++) await search.tryNext();
      search.forget();
      while (!terms.isOver()) await search.tryNext();
      tally.tried(search.tried);
      for (const { query, ms } of await search.measureBest()) {
        tally.took(ms);
        if (ms <= MAX_CPU_MS * BUSY_FACTOR) continue;
        tally.gotThrough(`${ms.toFixed(1)} ms with ${query.coding}: ${targetOf(query).slice(0, 1000)}`);
      }
    } finally {
      await fleet.close();
    }
    return tally.figures;
  },
};

/** Looks for the costliest query. */
class Search {
  readonly #fleet: Fleet;
  readonly #key: string;
  readonly #operations: readonly Operation[];
  readonly #random: () => number;
  #best: Measured[] = [];
  #pages = 0;
  tried = 0;

  constructor(fleet: Fleet, key: string, operations: readonly Operation[], random: Terms['random']) {
    this.#fleet = fleet;
    this.#key = key;
    this.#operations = operations;
    this.#random = random;
  }

  /** Measures another query: a new one, or one of the costliest with a change. */
  async tryNext(): Promise<void> {
    const known = this.#random() < 0.6 ? pick(this.#best, this.#random) : undefined;
    const query = known ? this.#alter(known.query) : this.#makeQuery();
    if (targetOf(query).length > MAX_TARGET) return;
    this.tried++;
    const least = this.#best.length < BEST ? 0 : (this.#best.at(-1)?.ms ?? 0);
    // The first time may include what the process does besides.
    for (let ms = await this.#measure(query), again = 0; ms > least; again++) {
      if (again === REPEATS) {
        this.#best.push({ query, ms });
        this.#best.sort((a, b) => b.ms - a.ms).splice(BEST);
        return;
      }
      ms = Math.min(ms, await this.#measure(query));
    }
  }

  /** Forgets what was measured before the gateway was warm. */
  forget(): void {
    this.#best = [];
    this.tried = 0;
  }

  /** Measures the costliest queries again. @returns the medians */
  async measureBest(): Promise<Measured[]> {
    const results: Measured[] = [];
    for (const { query } of this.#best) {
      const times: number[] = [];
      for (let count = 0; count < AGAIN; count++) times.push(await this.#measure(query));
      times.sort((a, b) => a - b);
      results.push({ query, ms: times[Math.floor(AGAIN / 2)] ?? 0 });
    }
    return results;
  }

  /** @returns the processor time of all threads of the gateway for a request, in ms */
  async #measure({ operation, parameters, coding }: Query): Promise<number> {
    // Every time another page, so that no cache has the response.
    const page: Parameter = ['offset', String(this.#pages++ % MAX_OFFSET)];
    const changed = operation.query.includes('offset') ? [...parameters, page] : parameters;
    const query = { operation, parameters: withoutDoubles(changed), coding };
    const before = await readCpu(this.#fleet.pid(0));
    const headers = { 'x-api-key': this.#key, 'accept-encoding': query.coding };
    await sendPlainly(this.#fleet.address(0) + targetOf(query), { headers });
    return (await readCpu(this.#fleet.pid(0))) - before;
  }

  #makeQuery(): Query {
    const operation = pick(this.#operations, this.#random);
    const count = Math.floor(this.#random() * 5);
    const parameters = Array.from({ length: count }, () => this.#makeParameter(operation));
    return { operation, parameters: withoutDoubles(parameters), coding: pick(CODINGS, this.#random) };
  }

  #alter({ operation, parameters, coding }: Query): Query {
    const kept = parameters
      .filter(() => this.#random() < 0.9)
      .map(([name, value]): Parameter => [name, this.#random() < 0.3 ? this.#lengthen(name, value) : value]);
    return {
      operation,
      parameters: withoutDoubles([...kept, this.#makeParameter(operation)]),
      coding: this.#random() < 0.1 ? pick(CODINGS, this.#random) : coding,
    };
  }

  #makeParameter({ query }: Operation): Parameter {
    const name = pick(query, this.#random);
    if (name !== 'filter') return [name, this.#makeValue(name)];
    const isNumber = this.#random() < 0.4;
    const facet = pick(isNumber ? FACETS.numbers : [...FACETS.texts, ...FACETS.lists], this.#random);
    const operator = pick(isNumber ? NUMBER_OPERATORS : OPERATORS, this.#random);
    if (operator === '[exists]') return [facet + operator, 'true'];
    const number = () => String(Math.floor(this.#random() * 1000));
    return [facet + operator, isNumber ? number() : pick([this.#text(), 'tag-3', 'element 1'], this.#random)];
  }

  #makeValue(name: string): string {
    const some = (from: readonly string[]) => from.filter(() => this.#random() < 0.3).join();
    const sign = () => (this.#random() < 0.5 ? '-' : '');
    const sortable = [...FACETS.texts, ...FACETS.numbers].map((facet) => sign() + facet);
    const ids = Array.from({ length: 6 }, () => `unit-${Math.floor(this.#random() * 1100)}`);
    const values: Record<string, () => string> = {
      q: () => this.#text(),
      sort: () => some(sortable) || 'name',
      fields: () => some(ALL_FACETS) || 'text',
      ids: () => ids.join(),
      limit: () => '1000',
      offset: () => '0',
    };
    return (values[name] ?? (() => this.#text()))();
  }

  #lengthen(name: string, value: string): string {
    if (['limit', 'offset', 'sort'].includes(name)) return this.#makeValue(name);
    if (name === 'fields' || name === 'ids') return `${value},${this.#makeValue(name)}`;
    const other = this.#random() < 0.3 ? value : this.#text();
    return value + pick([' ', ''], this.#random) + other;
  }

  #text(): string {
    const length = 1 + Math.floor(this.#random() ** 2 * 60);
    return Array.from({ length }, () => pick(LETTERS, this.#random)).join('');
  }
}

/** Without parameters that may be given only once; filters may be repeated. */
function withoutDoubles(parameters: readonly Parameter[]): Parameter[] {
  const once = new Map(parameters.filter(([name]) => !isFilter(name)));
  return [...once, ...parameters.filter(([name]) => isFilter(name))];
}

function isFilter(name: string): boolean {
  return ALL_FACETS.includes(name.replace(/\[\w+\]$/, ''));
}

function targetOf({ operation, parameters }: Query): string {
  const VALUES: Record<string, string> = { game: 'saga', dataset: 'items', id: 'unit-1' };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? 'x');
  const query = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
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
