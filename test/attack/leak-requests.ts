import { OPERATOR_NAMES } from '../../gateway/query/list-query.ts';
import { pick } from '../campaigns/campaign.ts';
import { PRO_WORD, SECRET_WORD } from './leak-worlds.ts';
import type { Operation, Surface } from './surface.ts';

/** A request that may reveal something. */
export interface LeakRequest {
  method: 'GET' | 'HEAD' | 'POST';
  target: string;
  headers: Record<string, string>;
  /** The fields of a form. */
  fields?: Record<string, string>;
}

/** Words that exist, words that only some may know, and words that are almost one of these: their errors could suggest it. */
const WORDS = [PRO_WORD, SECRET_WORD, 'qumbral', 'vexorent', 'vexoran', 'saga', 'nosuchname'];
const GAMES = ['saga', 'saga', 'saga', ...WORDS.map((word) => `${word}-quest`), '__proto__', 'Saga'];
const NAMES = [
  ...WORDS.flatMap((word) => [`${word}-1`, `${word}_items`]),
  ...['unit-1', 'item-2', 'items', 'item', 'pull_planner', 'characters', 'facets', 'constructor'],
  ...['1.0', '1.1', '2.0', '1.2', 'latest', '%2e%2e', 'index.json'],
];
const FACETS = [
  ...WORDS.map((word) => `${word}_power`),
  ...['rarity', 'element', 'stats.atk', 'name', 'id', 'stats', 'pull_planner.cost'],
];
const VALUES = [
  ...NAMES,
  ...WORDS,
  ...FACETS,
  ...FACETS.map((facet) => `-${facet}`),
  ...[
    '0',
    '1',
    '5',
    '43',
    '-1',
    '1000',
    '',
    'true',
    'false',
    'null',
    'link',
    'unit-1,vexorant-1',
    'qumbrel-0,unit-2',
  ],
];
const OPERATORS = ['', '', '', ...OPERATOR_NAMES.map((name) => `[${name}]`)];
const CODINGS = ['identity', 'gzip', 'br', 'gzip;q=0.5, br;q=0.4'];
const RANGES = ['bytes=0-0', 'bytes=-20', 'bytes=100-200', 'bytes=99999-'];

/** Makes requests to every address of a gateway. */
export class LeakRequests {
  readonly #surface: Surface;
  readonly #random: () => number;
  /** Validators of earlier responses, also of those to other clients. */
  readonly #etags = ['"x"'];

  constructor(surface: Surface, random: () => number) {
    this.#surface = surface;
    this.#random = random;
  }

  /** Remembers a validator, to send it as another client. */
  learn(etag: string | undefined): void {
    if (etag === undefined || this.#etags.length > 500) return;
    this.#etags.push(etag);
  }

  /** Makes a request to an operation of the API. */
  toApi(): LeakRequest {
    const operation = this.#pick(this.#surface.operations);
    const target = this.#fill(operation.path) + this.#query(operation);
    const accepted = [...operation.types, '*/*', 'text/html', 'application/x-nothing'];
    return {
      method: this.#chance(0.15) ? 'HEAD' : 'GET',
      target,
      headers: { ...this.#headers(), ...(this.#chance(0.4) && { accept: this.#pick(accepted) }) },
    };
  }

  /** Makes a request to a page. */
  toPage(): LeakRequest {
    const target = this.#fill(this.#pick(this.#surface.pages));
    const query = this.#chance(0.3) ? `?token=${this.#pick(VALUES)}` : '';
    return { method: this.#chance(0.1) ? 'HEAD' : 'GET', target: target + query, headers: this.#headers() };
  }

  /** Makes a form for a page. */
  toForm(): LeakRequest {
    const names = 'email key token code account id name link prefix url change mail follows game'.split(' ');
    const games = GAMES.map((game) => `follow.${game}`);
    const fields = Object.fromEntries(
      [...names, ...games].flatMap((name) => (this.#chance(0.5) ? [[name, this.#value(name)]] : [])),
    );
    const target = this.#fill(this.#pick(this.#surface.posts));
    return { method: 'POST', target, headers: {}, fields };
  }

  #value(name: string): string {
    if (name === 'link') return `https://example.org/${this.#pick(GAMES)}`;
    if (name === 'id') return String(1 + Math.floor(this.#random() * 3));
    return this.#pick([...GAMES, ...VALUES]);
  }

  #fill(template: string): string {
    return template.replace(/\{(\w+)\}/g, (_, name: string) => this.#pick(name === 'game' ? GAMES : NAMES));
  }

  #query({ query }: Operation): string {
    if (query.length === 0 ? !this.#chance(0.05) : this.#chance(0.3)) return '';
    const count = 1 + Math.floor(this.#random() * 3);
    const parts = Array.from({ length: count }, () => {
      const isFacet = query.includes('filter') ? this.#chance(0.5) : this.#chance(0.1);
      const name = isFacet ? this.#pick(FACETS) + this.#pick(OPERATORS) : this.#pick([...query, 'nothing']);
      return `${name}=${encodeURIComponent(this.#pick(VALUES))}`;
    });
    return `?${parts.join('&')}`;
  }

  #headers(): Record<string, string> {
    return {
      ...(this.#chance(0.5) && { 'accept-encoding': this.#pick(CODINGS) }),
      ...(this.#chance(0.3) && { 'if-none-match': this.#pick(this.#etags) }),
      ...(this.#chance(0.1) && { 'if-modified-since': new Date(Date.now() - 1000).toUTCString() }),
      ...(this.#chance(0.1) && { range: this.#pick(RANGES) }),
      ...(this.#chance(0.05) && { 'if-range': this.#pick(this.#etags) }),
      ...(this.#chance(0.05) && { origin: 'https://other.example.org' }),
    };
  }

  #pick<T>(list: readonly T[]): T {
    return pick(list, this.#random);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}
