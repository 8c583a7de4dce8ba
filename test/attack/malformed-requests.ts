import { pick } from '../campaigns/campaign.ts';
import { ATTRIBUTES } from './costly-game.ts';
import type { Attempt, SentRequest } from './attempt.ts';
import type { HostileText } from './hostile-text.ts';
import type { Surface } from './surface.ts';

/** What a client has: with it, a request gets further than to its refusal. */
export interface Credentials {
  key: string;
  cookie: string;
  csrfToken: string;
}

const LONGEST = { target: 7800, header: 15_000, form: 4000, json: 60_000 };
const HEADERS =
  'accept accept-encoding accept-language if-none-match if-match if-modified-since if-range range cookie authorization x-api-key host x-forwarded-for x-request-id user-agent origin referer content-type last-event-id cache-control sec-fetch-site forwarded mcp-protocol-version'.split(
    ' ',
  );
const FIELDS =
  'email key token code account id name link prefix url change mail follows game networks origins cap reason data'.split(
    ' ',
  );
const MEMBERS = ['csp-report', 'key', 'data', 'type', 'email', 'verification_token', 'blocked-uri'];
const TOOLS = ['list_games', 'search', 'describe_game', 'get_character', 'compare', 'query_dataset'];
const ARGUMENTS = ['game', 'dataset', 'filter', 'q', 'sort', 'ids', 'id', 'fields', 'lang', 'limit'];
const VALUES: Record<string, string> = {
  game: 'saga',
  dataset: 'items',
  id: 'unit-1',
  rows: 'characters.csv',
};

/** Makes requests with malformed and long names, values, header fields and bodies, to every address. */
export class MalformedRequests {
  readonly #surface: Surface;
  readonly #credentials: Credentials;
  readonly #text: HostileText;
  readonly #random: () => number;
  #clients = 0;

  constructor(surface: Surface, credentials: Credentials, text: HostileText, random: () => number) {
    this.#surface = { ...surface, operations: surface.operations.filter(({ isStream }) => !isStream) };
    this.#credentials = credentials;
    this.#text = text;
    this.#random = random;
  }

  /** Makes a request. */
  make(): Attempt {
    const makers = [() => this.#toApi(), () => this.#toApi(), () => this.#withHeader(), () => this.#toPage()];
    return this.#toAttempt(pick([...makers, () => this.#withForm(), () => this.#withJson()], this.#random));
  }

  #toAttempt(make: () => { what: string; request: SentRequest }): Attempt {
    const { what, request } = make();
    const { method, target, body } = request;
    return {
      what,
      // A new client each time, so that nothing is refused because of the attempts before.
      request: () => ({
        ...{ method, target, ...(body !== undefined && { body }) },
        headers: { 'x-forwarded-for': this.#nextClient(), ...request.headers },
      }),
      alter: () => this.#toAttempt(make),
    };
  }

  #toApi() {
    const { operations } = this.#surface;
    const lists = operations.filter(({ query }) => query.includes('filter'));
    const operation = pick(this.#chance(0.6) ? lists : operations, this.#random);
    const target = `${this.#fill(operation.path)}?${this.#query([...operation.query, ...ATTRIBUTES])}`;
    return this.#get(`a query of ${operation.path}`, target);
  }

  #toPage() {
    const path = pick(this.#surface.pages, this.#random);
    return this.#get(
      `a query of ${path}`,
      `${this.#fill(path)}?${this.#query(['token', 'q', 'game', 'limit'])}`,
    );
  }

  #withHeader() {
    const { operations, pages } = this.#surface;
    const path = pick(['/nothing', ...pages, ...operations.map((each) => each.path)], this.#random);
    const name = pick(HEADERS, this.#random);
    const value = this.#text
      .make(LONGEST.header)
      .replace(/[^\t\x20-\x7e]/g, '\xe9')
      .trim();
    return this.#get(`${name} to ${path}`, this.#fill(path), { accept: 'text/html', [name]: value });
  }

  #withForm() {
    const { csrfToken } = this.#credentials;
    const long = pick(FIELDS, this.#random);
    const fields = FIELDS.map((name) => `${name}=${encode(this.#text.make(name === long ? 3000 : 3))}`);
    const body = this.#chance(0.2)
      ? encode(this.#text.make(LONGEST.form))
      : `csrf_token=${csrfToken}&${fields.join('&')}`;
    return this.#post('a form', 'application/x-www-form-urlencoded', body.slice(0, LONGEST.form));
  }

  #withJson() {
    const json = this.#text.makeJson(pick([500, 3000, 7000, LONGEST.json], this.#random));
    if (this.#chance(0.5)) {
      const member = `{"${pick(MEMBERS, this.#random)}":${this.#chance(0.5) ? json : `{"blocked-uri":${json}}`}}`;
      return this.#post('JSON', 'application/json', this.#chance(0.2) ? json : member);
    }
    const given = this.#chance(0.3) ? json : `{"game":"saga","${pick(ARGUMENTS, this.#random)}":${json}}`;
    const params = `{"name":"${pick(TOOLS, this.#random)}","arguments":${given}}`;
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    return this.#post('a call', 'application/json', this.#chance(0.1) ? json : call, '/mcp');
  }

  #get(what: string, target: string, headers: Record<string, string> = {}) {
    const { key, cookie } = this.#credentials;
    // What was cut may end within a percent-encoded character.
    const cut = target.slice(0, LONGEST.target).replace(/(?:%[0-9a-f]{0,2})+$/i, '');
    const request: SentRequest = {
      method: 'GET',
      target: cut,
      headers: { 'x-api-key': key, cookie, ...headers },
    };
    return { what, request };
  }

  #post(what: string, type: string, body: string, path = pick(this.#surface.posts, this.#random)) {
    const { key, cookie } = this.#credentials;
    const accept = 'application/json, text/event-stream';
    const headers = { 'x-api-key': key, cookie, accept, 'content-type': type };
    const request: SentRequest = { method: 'POST', target: this.#fill(path), headers, body };
    return { what: `${what} to ${path}`, request };
  }

  /** Makes a query string: a name, a value, many values of a name, or many names. */
  #query(names: readonly string[]): string {
    const name = pick(names, this.#random);
    const unit = encode(this.#text.make(2));
    const length = LONGEST.target / 2;
    const makers = [
      () => encode(this.#text.make(LONGEST.target)),
      () => `${name}=${encode(this.#text.make(LONGEST.target))}`,
      () => `filter=${encode(this.#text.make(LONGEST.target))}=1`,
      () => manyOf(length, (at) => `${name}=${this.#chance(0.5) ? unit : at}`),
      () => manyOf(length, (at) => `${unit}${at}=1`),
      () => manyOf(length, (at) => `skills[m${at}].level=1`),
      () => `${name}=${manyOf(length, (at) => `unit-${at}`).replaceAll('&', ',')}`,
    ];
    return pick(makers, this.#random)();
  }

  #fill(path: string): string {
    const hostile = this.#chance(0.05);
    return path.replace(/\{(\w+)\}/g, (_, name: string) =>
      hostile ? encode(this.#text.make(1000)).replaceAll('/', '%2F') : (VALUES[name] ?? 'x'),
    );
  }

  #nextClient(): string {
    this.#clients++;
    return `10.${(this.#clients >> 16) & 255}.${(this.#clients >> 8) & 255}.${this.#clients & 255}`;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}

/** Joins as many parts with & as a length has room for. */
function manyOf(length: number, make: (at: number) => string): string {
  let text = make(0);
  for (let at = 1; text.length < length; at++) text += `&${make(at)}`;
  return text;
}

/** Encodes what an address cannot hold; all else stays as it is. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /%(?:2C|3A|5B|5D|3B|2F|40|24)/g,
    decodeURIComponent,
  );
}
