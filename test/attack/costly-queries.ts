import { pick } from '../campaigns/campaign.ts';
import type { Attempt } from './attempt.ts';
import { FACETS } from './costly-game.ts';
import type { Operation } from './surface.ts';

const MAX_OFFSET = 50;
const LETTERS = [...'aeikmnrsto', ...'éßİσﬁ', ...'カガｶﾞ가각ㄱㅇ金', '\u0301', ' ', ' ', '-', '%', '\ufdfa'];
const ALL_FACETS = [...FACETS.texts, ...FACETS.lists, ...FACETS.numbers];
const OPERATORS = ['', '[ne]', '[exists]'];
const NUMBER_OPERATORS = ['', '[ne]', '[gte]', '[gt]', '[lte]', '[lt]'];
const CODINGS = ['identity', 'identity', 'gzip', 'br'];

type Parameter = [name: string, value: string];

/** A request: an address, its parameters, and a content coding. */
interface Query {
  operation: Operation;
  parameters: Parameter[];
  coding: string;
}

/** Makes queries of lists that the API accepts, and alters them. */
export class CostlyQueries {
  readonly #key: string;
  readonly #operations: readonly Operation[];
  readonly #random: () => number;
  #pages = 0;

  constructor(key: string, operations: readonly Operation[], random: () => number) {
    this.#key = key;
    // What has no parameters costs the same every time.
    this.#operations = operations.filter(({ query }) => query.length > 1);
    this.#random = random;
  }

  /** Makes a query. */
  make(): Attempt {
    return this.#toAttempt(this.#makeQuery());
  }

  #toAttempt(query: Query): Attempt {
    const { operation, parameters, coding } = query;
    return {
      what: `a query with ${coding}`,
      alter: () => this.#toAttempt(this.#alter(query)),
      request: () => {
        // Every time another page, so that no cache has the response.
        const page: Parameter = ['offset', String(this.#pages++ % MAX_OFFSET)];
        const changed = operation.query.includes('offset') ? [...parameters, page] : parameters;
        const headers = { 'x-api-key': this.#key, 'accept-encoding': coding };
        const target = targetOf({ operation, parameters: withoutDoubles(changed), coding });
        return { method: 'GET', target, headers };
      },
    };
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
