import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { DistFollower } from '../catalog/follow-dist.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Headers } from '../http/problem.ts';
import { PAGE_HEADERS } from '../layout/page-headers.ts';
import type { Frame } from '../layout/page-content.ts';
import { renderPage } from '../layout/render-page.tsx';
import { whenPrepared } from '../lib/part.ts';
import { type ContentCoding, negotiateCoding } from '../wire/content-coding.ts';
import { matchesEtag } from '../wire/etag.ts';
import { COMMON_HEADERS } from '../wire/respond.ts';
import type { SiteData, SitePage, SiteServices, Visit } from './site-page.ts';

/** Options of a page server. */
export interface PageServerOptions {
  follower: Pick<DistFollower, 'catalog'>;
  services: SiteServices;
  /** What surrounds each page. */
  frame: Frame;
  /** ms since 1970. */
  now: () => number;
}

/** A page as it is sent. */
interface Rendered {
  tag: string;
  bytes: Buffer;
  /** Its compressed forms, each made when it is first requested. */
  coded: Map<ContentCoding, Promise<Buffer>>;
  /** When it must be made again, ms since 1970. */
  until: number;
}

const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** The compressed forms, and what a cache entry needs besides bytes, as a part of the page. */
const OVERHEAD = 1.5;
const BROTLI_QUALITY = 5;

const DATA_HEADERS: Headers = {
  'Content-Type': 'application/json; charset=utf-8',
  ...COMMON_HEADERS,
};

const compress = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** Serves the pages of the site. A page is rendered once in each view, and kept in the forms in which it was requested. */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #rendered = new LRUCache<string, Rendered>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => Math.ceil(bytes.length * OVERHEAD) + 1,
  });
  /** The view that the rendered pages show. */
  #mark: symbol | undefined;

  constructor(options: PageServerOptions) {
    this.#options = options;
  }

  /** Makes the endpoint of a page. */
  page({ path, headers, keepMs, make }: SitePage): Endpoint {
    const { frame } = this.#options;
    const render = async (visit: Visit) => renderPage(await make(visit), frame);
    return this.#endpoint(path, { ...COMMON_HEADERS, ...PAGE_HEADERS, ...headers }, keepMs, render);
  }

  /** Makes the endpoint of a file for programs. */
  data({ path, keepMs, makeData }: SiteData): Endpoint {
    return this.#endpoint(path, DATA_HEADERS, keepMs, async (visit) => JSON.stringify(await makeData(visit)));
  }

  #endpoint(
    path: string,
    headers: Headers,
    keepMs: number | undefined,
    render: (visit: Visit) => Promise<string>,
  ): Endpoint {
    return {
      path,
      get: async (request, response) => {
        // An address can be encoded in many ways, and all of them have one page.
        const name = `${path} ${JSON.stringify(request.params)}`;
        const rendered = await this.#find(name, request.params, keepMs, render);
        await send(request, response, headers, rendered);
      },
    };
  }

  async #find(
    name: string,
    params: Incoming['params'],
    keepMs: number | undefined,
    render: (visit: Visit) => Promise<string>,
  ): Promise<Rendered> {
    const { follower, services } = this.#options;
    const now = this.#options.now();
    const view = follower.catalog.viewAt(now, 'free');
    if (view.mark !== this.#mark) this.#rendered.clear();
    this.#mark = view.mark;
    const known = this.#rendered.get(name);
    if (known && now < known.until) return known;
    const bytes = Buffer.from(await whenPrepared(() => render({ view, params, services })));
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const until = keepMs === undefined ? Number.POSITIVE_INFINITY : now + keepMs;
    const rendered = { tag, bytes, coded: new Map(), until };
    // Another view may have become current meanwhile.
    if (view.mark === this.#mark) this.#rendered.set(name, rendered);
    return rendered;
  }
}

async function send(
  request: Incoming,
  response: ServerResponse,
  headers: Headers,
  rendered: Rendered,
): Promise<void> {
  const coding = negotiateCoding(request.headers['accept-encoding']);
  const etag = `"${rendered.tag}-${coding}"`;
  const common = { ...headers, ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  const bytes = await encode(rendered, coding);
  response
    .writeHead(200, {
      ...common,
      ...(coding !== 'identity' && { 'Content-Encoding': coding }),
      'Content-Length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

function encode({ bytes, coded }: Rendered, coding: ContentCoding): Promise<Buffer> | Buffer {
  if (coding === 'identity') return bytes;
  let encoded = coded.get(coding);
  if (encoded === undefined) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    encoded = coding === 'gzip' ? compress.gzip(bytes) : compress.br(bytes, { params });
    coded.set(coding, encoded);
  }
  return encoded;
}
