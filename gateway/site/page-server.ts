// Serves pages. Each is rendered once per view, and cached in the codings in which it was requested.
import { transcode } from 'node:buffer';
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { MinuteCounts, networkOf } from '../access/attempts.ts';
import type { View } from '../data/catalog.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import { type Html, PAGE_HEADERS, pageHeaders } from '../http/html.ts';
import { type ClientAddress, type Endpoint, type Incoming, prefersType } from '../http/incoming.ts';
import { type Headers, HttpProblem, moved } from '../http/problem.ts';
import { COMMON_HEADERS, type ContentCoding, matchesEtag, negotiateCoding } from '../http/respond.ts';
import type { PageData } from './data.ts';
import { type Frame, type PageContent, renderPage } from './layout.ts';
import type { ImageMode } from './tile.ts';

/** What pages may use besides the view. */
export interface SiteServices {
  data: PageData;
  images: ImageMode;
  /** The price of Pro, such as `$5 a month`, and the platforms that sell it. */
  pro: { price: string | undefined; links: readonly { name: string; address: string }[] };
  /** Whether visitors can get a key by mail. */
  hasSignup: boolean;
  /** Where people reach the gateway, without a path. */
  publicUrl: () => string;
  /** ms since 1970. */
  now: () => number;
  follower: { catalog: Pick<DistFollower['catalog'], 'viewAt'> };
  /** How many pages of records a network may open per minute. */
  pagesInMinute: number;
  clientAddress: ClientAddress;
  /** @returns why the gateway is not ready; undefined if it is */
  findUnreadiness: () => string | undefined;
}

/** A request for a page. */
export interface Visit {
  /** The view of visitors, which is that of a free key. */
  view: View;
  /** The parameters in the path. */
  params: Readonly<Record<string, string>>;
  /** The part of the query that the page uses, without `?`. */
  query: string;
  services: SiteServices;
}

export interface SitePage {
  /** With `:name` for parameters. */
  path: string;
  headers?: Headers;
  /** How long it may be shown unchanged, in ms, if it depends on more than the view. */
  keepMs?: number;
  /** Returns the part of the query that the content depends on, in canonical form; by default, a page does not depend on the query. */
  relevantQuery?(query: string, visit: Visit): string;
  /** Whether it shows records, and so counts against a network's limit per minute. */
  isCounted?: true;
  /** @throws HttpProblem for what does not exist, or is not visible yet */
  make(visit: Visit): Made | Promise<Made>;
}

/** A page, a fragment for a script, a file for programs, or where it has moved. */
type Made = PageContent | Html | { type: string; text: string } | { location: string };

/** What else a response needs. */
interface Further extends Pick<Partial<PageContent>, 'problem' | 'pictureHosts'> {
  text?: string;
  type?: string | undefined;
  location?: string | undefined;
}

/** A rendered page or file. */
interface Rendered extends Further {
  tag: string;
  bytes: Buffer;
  /** Its compressed forms, each made at its first request. */
  coded: Map<ContentCoding, Buffer>;
  /** When it must be rendered again, ms since 1970. */
  until: number;
}

/** How long countdowns may be shown unchanged. */
export const COUNTDOWN_MS = 600_000;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** The size of a cache entry relative to its page: the compressed forms, and everything else. */
const OVERHEAD = 1.5;
/** The fastest: it takes half the time of quality 1, and pages are 4 % larger. Pages use gzip's fastest level too. */
const BROTLI_QUALITY = 0;
/** How long a shared cache may keep a page at most. */
const MAX_SHARED_SECONDS = 300;
/** How many networks are remembered. */
const MAX_NETWORKS = 20_000;

export class PageServer {
  readonly #services: SiteServices;
  readonly #frame: Frame;
  readonly #rendered = new LRUCache<string, Rendered>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => Math.ceil(bytes.length * OVERHEAD) + 1,
  });
  readonly #opened = new MinuteCounts(MAX_NETWORKS);
  /** The mark of the rendered pages' view. */
  #mark: symbol | undefined;

  constructor(services: SiteServices, frame: Frame) {
    this.#services = services;
    this.#frame = frame;
  }

  endpoint(page: SitePage): Endpoint {
    const { images } = this.#services;
    return {
      path: page.path,
      get: async (request, response) => {
        const rendered = await this.#find(page, request);
        const { problem, location, type, pictureHosts: hosts = [] } = rendered;
        if (problem && !prefersType(request.headers.accept, 'text/html')) throw problem;
        const sources = `'self'${hosts.map((host) => ` https://${host}`).join('')}`;
        const hasPictures = hosts.length > 0 && images !== 'off';
        const own = hasPictures ? pageHeaders({ 'img-src': sources }) : PAGE_HEADERS;
        const headers = {
          ...(type === undefined ? own : { 'Content-Type': type }),
          ...COMMON_HEADERS,
          ...page.headers,
          'Cache-Control': this.#cacheFor(rendered),
        };
        if (location === undefined) send(request, response, headers, rendered);
        else response.writeHead(301, { ...headers, Location: location, 'Cache-Control': 'no-cache' }).end();
      },
    };
  }

  async #find(page: SitePage, request: Incoming): Promise<Rendered> {
    const services = this.#services;
    const now = services.now();
    const view = services.follower.catalog.viewAt(now, 'free');
    if (view.mark !== this.#mark) this.#rendered.clear();
    this.#mark = view.mark;
    const { keepMs } = page;
    const { params } = request;
    const visit = { view, params, services, query: '' };
    const query = page.relevantQuery?.(request.search.slice(1), visit) ?? '';
    if (page.isCounted) this.#count(services.clientAddress(request));
    // An address can be encoded in many ways, all of which share a page.
    const path = page.path.replace(/:(\w+)/g, (_, each: string) => encodeURIComponent(params[each] ?? ''));
    const slug = params.game?.toLowerCase() ?? '';
    if (slug !== (params.game ?? '') && view.games.has(slug))
      throw moved(path.replace(`/${params.game}`, `/${slug}`) + request.search);
    const name = `${page.path} ${path} ${query}`;
    const entry = this.#rendered.get(name);
    if (entry !== undefined && now < entry.until) return entry;
    const made = await page.make({ ...visit, query });
    const { text, problem, pictureHosts, location, type }: Further = made;
    const whole = text ?? ('body' in made ? renderPage(made, path, this.#frame) : '');
    // Through UTF-16, this takes less than half the time.
    const bytes = transcode(Buffer.from(whole, 'utf16le'), 'utf16le', 'utf8');
    const tag = hash('sha256', bytes, 'base64url').slice(0, 22);
    const until = keepMs === undefined ? Number.POSITIVE_INFINITY : now + keepMs;
    const rendered = { problem, pictureHosts, location, type, tag, bytes, coded: new Map(), until };
    // Not cached: a page of a view that is no longer current, and records that do not exist, of which there can be any number.
    if (view.mark === this.#mark && !(problem && page.isCounted)) this.#rendered.set(name, rendered);
    return rendered;
  }

  /** Counts a page of records, so that reading a whole game by its pages takes longer than with a free key. @throws HttpProblem `quota-exceeded` */
  #count(address: string): void {
    const { pagesInMinute } = this.#services;
    const { count, leftMs } = this.#opened.add(networkOf(address));
    if (count <= pagesInMinute) return;
    const seconds = Math.ceil(leftMs / 1000);
    throw new HttpProblem(
      'quota-exceeded',
      `this network opened more than ${pagesInMinute} pages of data in a minute; more can be opened in ${seconds} s. Programs read whole lists with a free key in one request`,
      { 'violated-policies': ['pages'] },
      { 'Retry-After': seconds },
    );
  }

  /** How long shared caches may keep a page. The time must not reveal the next release. What does not exist may appear at any time. */
  #cacheFor({ problem, until }: Rendered): string {
    if (problem) return 'no-cache';
    const ms = until - this.#services.now();
    const seconds = Math.max(0, Math.min(MAX_SHARED_SECONDS, Math.floor(ms / 1000)));
    return `public, max-age=0, s-maxage=${seconds}, must-revalidate`;
  }
}

function send(request: Incoming, response: ServerResponse, headers: Headers, rendered: Rendered): void {
  const coding = negotiateCoding(request.headers['accept-encoding']);
  const etag = `"${rendered.tag}-${coding}"`;
  const status = rendered.problem?.status ?? 200;
  const vary = status === 200 ? 'Accept-Encoding' : 'Accept, Accept-Encoding';
  const common = { ...headers, ETag: etag, Vary: vary };
  // An error is never a 304, which is about a success (RFC 9110, 13.2.1).
  if (status === 200 && matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  const bytes = rendered.coded.get(coding) ?? encode(rendered.bytes, coding);
  rendered.coded.set(coding, bytes);
  const encoding = coding !== 'identity' && { 'Content-Encoding': coding };
  response
    .writeHead(status, { ...common, ...encoding, 'Content-Length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

/** Compresses a page synchronously: another thread would cost more time. */
function encode(bytes: Buffer, coding: ContentCoding): Buffer {
  if (coding === 'identity') return bytes;
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return coding === 'gzip'
    ? gzipSync(bytes, { level: constants.Z_BEST_SPEED })
    : brotliCompressSync(bytes, { params });
}
