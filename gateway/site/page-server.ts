import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { DistFollower } from '../data/follow-dist.ts';
import { type ClientAddress, type Endpoint, type Incoming, prefersType } from '../http/incoming.ts';
import type { Headers, HttpProblem } from '../http/problem.ts';
import { whenPrepared } from '../http/work.ts';
import { TIERS } from '../access/account.ts';
import { type ContentCoding, negotiateCoding } from '../http/content-coding.ts';
import { COMMON_HEADERS, JSON_TYPE, matchesEtag } from '../http/respond.ts';
import type { Frame } from './layout/page-content.ts';
import { renderPage } from './layout/render-page.tsx';
import type { PageBudget, PageKind } from './page-budget.ts';
import { pictureHeaders } from './pictures.ts';
import { Redirect, type SiteData, type SitePage, type SiteServices, type Visit } from './site-page.ts';

/** Options of a page server. */
export interface PageServerOptions {
  follower: { catalog: Pick<DistFollower['catalog'], 'viewAt' | 'loaded'> };
  services: SiteServices;
  budget: PageBudget;
  clientAddress: ClientAddress;
  /** What surrounds each page. */
  frame: Frame;
  /** ms since 1970. */
  now: () => number;
}

/** A page or a file before it is in memory. */
interface Content {
  text: string;
  problem?: HttpProblem | undefined;
}

/** How an address is served. */
interface Served
  extends Pick<SitePage, 'path' | 'keepMs' | 'kind' | 'isFreeAtFirst' | 'relevantParams' | 'relevantQuery'> {
  headersOf: (params: Visit['params']) => Headers;
  render: (visit: Visit) => Promise<Content>;
}

/** A page as it is sent. */
interface Rendered extends Pick<Content, 'problem'> {
  tag: string;
  bytes: Buffer;
  /** Its compressed forms, each made when it is first requested. */
  coded: Map<ContentCoding, Buffer>;
  /** When it must be made again, ms since 1970. */
  until: number;
}

const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** The compressed forms, and what a cache entry needs besides bytes, as a part of the page. */
const OVERHEAD = 1.5;
/** A third of the time of 4, for a sixteenth more bytes. */
const BROTLI_QUALITY = 2;
const HOUR_MS = 3_600_000;
/** How long a cache of many visitors keeps a page at most. */
const MAX_SHARED_SECONDS = 300;

/** Serves the pages of the site. A page is rendered once in each view, and kept in the forms in which it was requested. */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #rendered = new LRUCache<string, Rendered>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => Math.ceil(bytes.length * OVERHEAD) + 1,
  });
  readonly #headersOf: ReturnType<typeof pictureHeaders>;
  /** The view that the rendered pages show. */
  #mark: symbol | undefined;
  /** When the free view next changes, as far as it is known: ms since 1970. */
  #changesAt = 0;

  constructor(options: PageServerOptions) {
    this.#options = options;
    this.#headersOf = pictureHeaders(options.services.images);
  }

  /** Makes the endpoint of a page. */
  page({ make, headers, hasAllPictures, ...page }: SitePage): Endpoint {
    const { frame } = this.#options;
    const render = async (visit: Visit) => {
      const content = await make(visit);
      return { text: renderPage(content, frame), problem: content.problem };
    };
    return this.#endpoint({
      ...{ ...page, render },
      headersOf: ({ game }) => ({ ...this.#headersOf(game, hasAllPictures), ...COMMON_HEADERS, ...headers }),
    });
  }

  /** Makes the endpoint of a file for programs. */
  data({ makeData, type, headers, ...data }: SiteData): Endpoint {
    const write = (value: unknown) => (type === undefined ? JSON.stringify(value) : String(value));
    const render = async (visit: Visit) => ({ text: write(await makeData(visit)) });
    const fields = { 'Content-Type': type ?? JSON_TYPE, ...COMMON_HEADERS, ...headers };
    return this.#endpoint({ ...{ ...data, render }, headersOf: () => fields });
  }

  #endpoint(served: Served): Endpoint {
    return {
      path: served.path,
      get: async (request, response) => {
        const rendered = await this.#find(served, request).catch((error: unknown) => {
          if (error instanceof Redirect) return error;
          throw error;
        });
        const headers = served.headersOf(request.params);
        if (rendered instanceof Redirect) {
          const { location } = rendered;
          response.writeHead(301, { ...headers, Location: location, 'Cache-Control': 'no-cache' }).end();
          return;
        }
        const { problem } = rendered;
        if (problem && !prefersType(request.headers.accept, 'text/html')) throw problem;
        send(request, response, { ...headers, 'Cache-Control': this.#cacheFor(rendered) }, rendered);
      },
    };
  }

  async #find(served: Served, request: Incoming): Promise<Rendered> {
    const { follower, services, budget, clientAddress } = this.#options;
    const now = this.#options.now();
    const view = follower.catalog.viewAt(now, 'free');
    if (view.mark !== this.#mark) this.#change(view.mark, now);
    const { path, keepMs, relevantParams, relevantQuery, render } = served;
    const visit = { view, params: request.params, services, query: '', isSpare: budget.isSpare };
    const params = relevantParams ? await whenPrepared(() => relevantParams(visit)) : visit.params;
    const query = relevantQuery?.(request.search.slice(1), { ...visit, params }) ?? '';
    const kind = query === '' && served.isFreeAtFirst ? undefined : served.kind;
    // An address can be encoded in many ways, and all of them have one page.
    const name = `${path} ${JSON.stringify(params)} ${query}`;
    const entry = this.#rendered.get(name);
    const isKept = entry !== undefined && now < entry.until;
    if (kind) await budget.take(clientAddress(request), { kind: kindOf(kind, query), isKept });
    if (isKept) return entry;
    const { text, problem } = await whenPrepared(() => render({ ...visit, params, query }));
    const bytes = Buffer.from(text);
    const tag = hash('sha256', bytes, 'base64url').slice(0, 22);
    const until = keepMs === undefined ? Number.POSITIVE_INFINITY : now + keepMs;
    const rendered = { tag, bytes, problem, coded: new Map(), until };
    // Another view may have become current meanwhile.
    // Of records that do not exist there are as many as names that can be made up.
    if (view.mark === this.#mark && !(problem && kind)) this.#rendered.set(name, rendered);
    return rendered;
  }

  /** Another view has become current. */
  #change(mark: symbol, now: number): void {
    this.#rendered.clear();
    this.#mark = mark;
    const delay = TIERS.free.delayHours * HOUR_MS;
    const times = this.#options.follower.catalog.loaded.map(
      ({ released_at }) => Date.parse(released_at) + delay,
    );
    this.#changesAt = Math.min(...times.filter((time) => time > now));
  }

  /** How long caches of many visitors may keep a page: until the free view changes, but not for long. What does not exist may come at any time. */
  #cacheFor({ problem, until }: Rendered): string {
    if (problem) return 'no-cache';
    const ms = Math.min(until, this.#changesAt) - this.#options.now();
    const seconds = Math.max(0, Math.min(MAX_SHARED_SECONDS, Math.floor(ms / 1000)));
    return `public, max-age=0, s-maxage=${seconds}, must-revalidate`;
  }
}

/** A list that is searched or sorted costs as much as a search. */
function kindOf(kind: PageKind, query: string): PageKind {
  return kind === 'list' && /(^|&)(q|sort)=/.test(query) ? 'search' : kind;
}

function send(request: Incoming, response: ServerResponse, headers: Headers, rendered: Rendered): void {
  const coding = negotiateCoding(request.headers['accept-encoding']);
  const etag = `"${rendered.tag}-${coding}"`;
  const status = rendered.problem?.status ?? 200;
  const vary = status === 200 ? 'Accept-Encoding' : 'Accept, Accept-Encoding';
  const common = { ...headers, ETag: etag, Vary: vary };
  // An error is sent whole: a 304 is about a success (RFC 9110, 13.2.1).
  if (status === 200 && matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  const bytes = encode(rendered, coding);
  response
    .writeHead(status, {
      ...common,
      ...(coding !== 'identity' && { 'Content-Encoding': coding }),
      'Content-Length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

/** Compresses a page at once: another thread would cost more than it takes. */
function encode({ bytes, coded }: Rendered, coding: ContentCoding): Buffer {
  if (coding === 'identity') return bytes;
  let encoded = coded.get(coding);
  if (encoded === undefined) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    encoded = coding === 'gzip' ? gzipSync(bytes) : brotliCompressSync(bytes, { params });
    coded.set(coding, encoded);
  }
  return encoded;
}
