import {
  type BuildEntry,
  BULK_FORMATS,
  BULK_TRAITS,
  type BulkFormat,
  type StoredRef,
  TABLE_FORMATS,
  type ZipRef,
} from '../../scripts/format/dist-format.ts';
import { mediaTypeOf } from '../../scripts/publish/targets.ts';
import type { Account, Limits } from '../access/account.ts';
import { networksOf, type NetworkWidth } from '../access/attempts.ts';
import { countUse } from '../access/quota.ts';
import { findGame, isLost, type View } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { ParameterError, type RawQuery, readOnce } from '../http/incoming.ts';
import { HttpProblem, quote, suggest, unavailable } from '../http/problem.ts';
import type { FileResult } from '../http/send-file.ts';
import { type Limit, useLimits } from '../store/limits.ts';
import { FILES } from './links.ts';
import {
  type ApiRequest,
  type JsonResult,
  type Links,
  type QueryParameter,
  type Route,
  type Services,
  valuesOf,
} from './route.ts';
import { forSpreadsheets, type Spreadsheet } from './spreadsheet.ts';

/** The value of the parameter `via` with which the response is a signed address. */
const LINK = 'link';

/** Returns a signed address of a file of a build. */
function linkTo(build: string, { bytes, sha256, file }: StoredRef, { links }: Services): JsonResult {
  return {
    build,
    async body() {
      const link = await wholeLinks(links).issue(file);
      return { json: Buffer.from(JSON.stringify({ ...link, bytes, sha256 })) };
    },
  };
}

/** Reads whether a request is for a signed address. @throws ParameterError */
function readVia(query: RawQuery): boolean {
  const values = query.filter(([name]) => name === 'via');
  const wrong = values.find(([, value]) => value !== LINK);
  if (wrong) throw new ParameterError('via', `via is ${quote(wrong[1])}, expected ${LINK}`);
  return values.length > 0;
}

/**
 * Finds the file of a signed address.
 *
 * @param download returns the download of a build if it has the file
 * @throws HttpProblem
 */
function findFile(
  { view, params: { game: slug = '', file: name = '' }, query }: ApiRequest,
  { links }: Services,
  download: (game: GameBuild, entry: BuildEntry, file: string) => FileResult | undefined,
): FileResult {
  const file = `${slug}/${name}`;
  const state = wholeLinks(links).check(file, readOne(query, 'expires'), readOne(query, 'signature'));
  if (state !== 'good') throw invalidLink(state);
  const game = view.games.get(slug);
  // The oldest: builds share the files of collections that did not change, and the address may be of any of them.
  for (const entry of game?.builds ?? []) {
    const target = game && download(game, entry, file);
    if (target) return target;
  }
  if (isLost(view, slug) || view.behind.has(slug))
    throw unavailable('the data of this build cannot be read right now');
  throw new HttpProblem(
    'not-found',
    'the build was corrected since; request its snapshot with via=link again',
  );
}

/** Reads a parameter; one that is given twice counts as missing. */
function readOne(query: RawQuery, name: string): string {
  const values = query.filter(([parameter]) => parameter === name);
  return values.length === 1 ? (values[0]?.[1] ?? '') : '';
}

function invalidLink(state: 'expired' | 'wrong'): HttpProblem {
  const found = state === 'expired' ? 'the address has expired' : 'the signature of the address is wrong';
  return new HttpProblem('invalid-link', `${found}; request the snapshot with via=link again`);
}

function wholeLinks(links: Links | undefined): Links {
  if (links) return links;
  throw unavailable('this gateway makes no signed addresses');
}

/** Names the newest build that the caller may see. No build has this name. */
const LATEST = 'latest';

/**
 * Finds a build that the caller may see, by its name or as `latest`.
 *
 * @throws HttpProblem `unknown-build`, or `unavailable` if newer builds are damaged
 */
export function findBuild({ behind }: View, { slug, builds }: GameBuild, name: string): BuildEntry {
  const match = name === LATEST ? builds.at(-1) : builds.find(({ build }) => build === name);
  if (match) return match;
  if (behind.has(slug)) throw unavailable('the newest build of this game cannot be read right now');
  const near = suggest(name, [...builds.map(({ build }) => build).reverse(), LATEST]);
  throw new HttpProblem(
    'unknown-build',
    `${slug} has no build ${quote(name)}${near}; /api/${slug}/history lists all`,
  );
}

/** Returns the download of a file of a build, in every coding that dist/ has. @param filename the name under which clients save it */
function downloadFile(
  build: string,
  filename: string,
  ref: StoredRef,
  { archive, links }: Services,
): FileResult {
  const files = 'gzip' in ref ? { identity: ref, gzip: ref.gzip, br: ref.brotli } : ref;
  return { build, filename, files, open: archive.open, handOver: links?.handOver };
}

const VIA: QueryParameter = {
  name: 'via',
  description:
    '`link`: respond with an address that needs no key and expires in ten minutes, for another program to download from. It may lead to ' +
    'another host: do not send the key there.',
  schema: { enum: [LINK] },
};

/** The formats of a download: JSON, and what `gamedata build --formats` writes. */
const DOWNLOAD_FORMATS = ['json', ...BULK_FORMATS] as const;
type DownloadFormat = 'json' | BulkFormat;

const inCode = TABLE_FORMATS.map((format) => `\`${format}\``);
const listed = (words: readonly string[], last: string) =>
  `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** What a request downloads: a build in a format, or one collection of it. */
interface Choice {
  format: DownloadFormat;
  /** `characters`, or the key of a dataset. */
  collection: string | undefined;
  /** Whether its cells are made safe for spreadsheets. */
  isForSpreadsheets?: boolean;
}

/** The parameters that choose what is downloaded. */
const CHOICE: readonly QueryParameter[] = [
  {
    name: 'format',
    description:
      `\`json\`: one JSON document. ${listed(inCode, 'and')}: a zip with a file for each collection. \`sqlite\`: a database. All but \`json\` only if the operator of the gateway offers ` +
      'them; else the response is a 404 that lists those that exist.',
    schema: { enum: DOWNLOAD_FORMATS, default: 'json' },
  },
  {
    name: 'collection',
    description: `With ${listed(inCode, 'or')}: only the file of this collection, without a zip: \`characters\`, or the key of a dataset.`,
    schema: { type: 'string', maxLength: 64 },
  },
  {
    name: 'csv',
    description:
      "`spreadsheet`, with `format=csv`: each table begins with a byte order mark, and a text that a spreadsheet would run as a formula with `'`. Without it, texts are raw.",
    schema: { type: 'string', enum: ['spreadsheet'] },
  },
];

/** The schemas of the formats in the OpenAPI document. */
const SCHEMAS: Readonly<Record<BulkFormat, string>> = {
  sqlite: 'Database',
  parquet: 'Parquet',
  ndjson: 'Ndjson',
  csv: 'Csv',
};

/** The media types of downloads that are not JSON, and their schemas. */
const DOWNLOAD_TYPES: NonNullable<Route['alternatives']> = {
  'application/zip': 'Zip',
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([format, schema]) => [
      BULK_TRAITS[format as BulkFormat].mediaType.split(';', 1)[0],
      schema,
    ]),
  ),
};

/** @throws ParameterError */
function readChoice(query: RawQuery): Choice {
  const text = readOnce('format', valuesOf(query, 'format')) ?? 'json';
  const format = DOWNLOAD_FORMATS.find((each) => each === text);
  if (format === undefined) {
    const found = `is ${quote(text)}${suggest(text, DOWNLOAD_FORMATS)}`;
    throw new ParameterError('format', `format ${found}; expected one of ${DOWNLOAD_FORMATS.join(', ')}`);
  }
  const collection = readOnce('collection', valuesOf(query, 'collection'));
  if (collection !== undefined && (format === 'json' || format === 'sqlite'))
    throw new ParameterError(
      'collection',
      `collection was given with the format ${format}, expected ${listed(TABLE_FORMATS, 'or')}`,
    );
  return { format, collection, isForSpreadsheets: readIsForSpreadsheets(query, format) };
}

function readIsForSpreadsheets(query: RawQuery, format: DownloadFormat): boolean {
  const csv = readOnce('csv', valuesOf(query, 'csv'));
  if (csv === undefined) return false;
  if (csv !== 'spreadsheet') throw new ParameterError('csv', `csv is ${quote(csv)}, expected spreadsheet`);
  if (format !== 'csv') throw new ParameterError('csv', 'csv=spreadsheet needs format=csv');
  if (query.some(([name]) => name === 'via'))
    throw new ParameterError('csv', 'csv=spreadsheet was given with via, expected one of them');
  return true;
}

/** @throws HttpProblem `not-found` if the build was not written in the format, or has no such collection */
function refOf(slug: string, entry: BuildEntry, { format, collection }: Choice): StoredRef | ZipRef {
  const { build, bulk = {} } = entry;
  if (format === 'json') return entry.snapshot;
  const ref: StoredRef | ZipRef | undefined = bulk[format];
  if (ref === undefined) {
    const formats = DOWNLOAD_FORMATS.filter((each) => each === 'json' || bulk[each]).join(', ');
    throw new HttpProblem(
      'not-found',
      `build ${build} of ${slug} is not here as ${format}, only as ${formats}; the operator of this gateway chooses the formats`,
    );
  }
  if (collection === undefined) return ref;
  const collections = 'collections' in ref ? ref.collections : [];
  const bulkFile = collections.find(({ key }) => key === collection);
  if (bulkFile) return bulkFile;
  const keys = collections.map(({ key }) => key);
  throw new HttpProblem(
    'not-found',
    `build ${build} of ${slug} has no collection ${quote(collection)} with records${suggest(collection, keys)}; expected one of ${keys.join(', ')}`,
  );
}

/** Returns what is downloaded with a file of a build; undefined if the build does not name the file. */
function findChoice({ snapshot, bulk = {} }: BuildEntry, file: string): Choice | undefined {
  if (snapshot.file === file) return { format: 'json', collection: undefined };
  for (const format of BULK_FORMATS) {
    const ref: StoredRef | ZipRef | undefined = bulk[format];
    if (ref?.file === file) return { format, collection: undefined };
    const collections = ref && 'collections' in ref ? ref.collections : [];
    const choice = collections.find((each) => each.file === file);
    if (choice) return { format, collection: choice.key };
  }
  return undefined;
}

/**
 * Returns what a request downloads: a file of a build, or its cells made safe for spreadsheets.
 *
 * @throws HttpProblem `not-found` if the build was not written in the format, or has no such collection; ParameterError
 */
function downloadOf(
  game: GameBuild,
  entry: BuildEntry,
  choice: Choice,
  services: Services,
  account: string | undefined,
): FileResult | Spreadsheet {
  const file = fileOf(game, entry, choice, services);
  return choice.isForSpreadsheets
    ? forSpreadsheets(file, bytesOf(refOf(game.slug, entry, choice)), account)
    : file;
}

/** How large what a file holds is without compression. */
function bytesOf(ref: StoredRef | ZipRef): number {
  return 'collections' in ref ? ref.collections.reduce((sum, { bytes }) => sum + bytes, 0) : ref.bytes;
}

/** Returns the download of a file of a build, in every coding that dist/ has. @throws HttpProblem `not-found` */
function fileOf({ slug }: GameBuild, entry: BuildEntry, choice: Choice, services: Services): FileResult {
  const { build } = entry;
  const ref = refOf(slug, entry, choice);
  const { format, collection } = choice;
  const name = [`${slug}-${build}`, ...(collection === undefined ? [] : [collection]), format].join('.');
  return {
    ...downloadFile(build, ref.file.endsWith('.zip') ? `${name}.zip` : name, ref, services),
    ...(format !== 'json' && { type: mediaTypeOf(ref.file) }),
  };
}

/** What a free account may download, of all games and formats together. */
const FREE_DOWNLOADS: Limits = { minute: 1, day: 1 };
const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;
/** What all free accounts of a network may download. */
const NETWORK_DOWNLOADS: Record<NetworkWidth, Limit> = {
  connection: { atOnce: 4, everyMs: 6 * HOUR_MS },
  customer: { atOnce: 6, everyMs: 4 * HOUR_MS },
  site: { atOnce: 12, everyMs: 2 * HOUR_MS },
};

/**
 * Responds with the newest build.
 *
 * @throws ParameterError, HttpProblem
 */
function respondWithBuild(request: ApiRequest, services: Services): FileResult | Spreadsheet {
  const choice = readChoice(request.query);
  const game = findGame(request);
  const download = downloadOf(
    game,
    findBuild(request.view, game, 'latest'),
    choice,
    services,
    request.account,
  );
  const { caller, client = '' } = request;
  if (caller?.tier !== 'free') return download;
  if ('body' in download)
    return {
      ...download,
      async body() {
        const body = await download.body();
        await countDownload(services, caller.account, client);
        return body;
      },
    };
  return {
    ...download,
    // Only what is sent counts: not a 304, and not a file that cannot be read.
    async open(ref) {
      const file = await download.open(ref);
      try {
        await countDownload(services, caller.account, client);
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  };
}

/**
 * @param client the IP address of the client
 * @throws HttpProblem `quota-exceeded` for the second download of a day, and if the network has used its downloads
 */
async function countDownload({ store }: Services, account: Account, client: string): Promise<void> {
  const accountUse = await countUse(store, { what: 'bulk', account, limits: FREE_DOWNLOADS });
  if (!accountUse.isAllowed) {
    const detail =
      'this account has downloaded a whole build today, and a free account may download one in a UTC day';
    throw tooMany('bulk', detail, accountUse.seconds);
  }
  const uses = networksOf(client).map(({ network, width }) => ({
    name: `bulk ${network}`,
    limit: NETWORK_DOWNLOADS[width],
  }));
  const shared = await useLimits(store, uses).catch(async (error: unknown) => {
    await accountUse.takeBack().catch(() => {});
    throw error;
  });
  if (shared.isAllowed) return;
  await accountUse.takeBack();
  const detail = 'free accounts on your network have downloaded as many whole builds as a network may';
  throw tooMany('bulk-network', detail, shared.seconds);
}

function tooMany(policy: 'bulk' | 'bulk-network', why: string, seconds: number): HttpProblem {
  const most = policy === 'bulk' ? FREE_DOWNLOADS.day : NETWORK_DOWNLOADS.connection.atOnce;
  return new HttpProblem(
    'quota-exceeded',
    `${why}; the next one is admitted in ${seconds} s. Lists and single records can still be read`,
    { 'violated-policies': [policy] },
    {
      'RateLimit-Policy': `"${policy}";q=${most};w=${DAY_SECONDS}`,
      RateLimit: `"${policy}";r=0;t=${seconds}`,
      'Retry-After': seconds,
    },
  );
}

export const bulkRoute: Route = {
  path: '/api/:game/bulk',
  operationId: 'getBulk',
  summary: 'The newest build whole',
  description:
    'The newest build that the key may see: all full records and all datasets except the generated ones. A free account may download one in a UTC day, of any game and format; the ' +
    'second is a 429 with the policy `bulk`. Free accounts on one network may download four at once, and one more every six hours; then the policy is `bulk-network`. Every 200 and 206 counts, also those for HEAD; a 304 does not. `snapshot` has all builds, for Pro.',
  needsKey: true,
  isPersonal: true,
  isFile: true,
  parameters: CHOICE,
  result: 'Snapshot',
  alternatives: DOWNLOAD_TYPES,
  problems: ['unknown-game', 'not-found', 'range-not-satisfiable'],
  handle: respondWithBuild,
};

export const snapshotRoute: Route = {
  path: '/api/:game/snapshot/:build',
  operationId: 'getSnapshot',
  summary: 'A build whole',
  description:
    'The complete archive of a build: every full record and every dataset except the generated ones; `latest` is the newest build. ' +
    '`Range` and `If-Range` resume an interrupted download, and `Repr-Digest` is the SHA-256 of the bytes as sent, coding included. With `via=link` the response is a signed address of the download instead.',
  needsKey: true,
  isPro: true,
  isFile: true,
  parameters: [VIA, ...CHOICE],
  result: 'SnapshotOrLink',
  alternatives: DOWNLOAD_TYPES,
  problems: ['unknown-game', 'unknown-build', 'not-found', 'range-not-satisfiable'],
  handle(request, services) {
    const viaLink = readVia(request.query);
    const choice = readChoice(request.query);
    const game = findGame(request);
    const entry = findBuild(request.view, game, request.params.build ?? '');
    return viaLink
      ? linkTo(entry.build, refOf(game.slug, entry, choice), services)
      : downloadOf(game, entry, choice, services, request.account);
  },
};

export const fileRoute: Route = {
  path: `${FILES}/:game/:file`,
  operationId: 'getFile',
  summary: 'A snapshot by its signed address',
  description:
    'The download that `via=link` of a snapshot leads to, when the gateway itself serves it. It needs no key: anyone with the address can ' +
    'use it until it expires. When the build was corrected since, the address is not found.',
  needsKey: false,
  isSigned: true,
  isFile: true,
  parameters: [
    {
      name: 'expires',
      required: true,
      description: 'When the address expires, in seconds since 1970.',
      schema: { type: 'integer' },
    },
    {
      name: 'signature',
      required: true,
      description: 'The signature of the gateway.',
      schema: { type: 'string' },
    },
  ],
  result: 'Snapshot',
  alternatives: DOWNLOAD_TYPES,
  problems: ['invalid-link', 'not-found', 'range-not-satisfiable', 'unavailable'],
  handle: (request, services) =>
    findFile(request, services, (game, entry, file) => {
      const choice = findChoice(entry, file);
      return choice && fileOf(game, entry, choice, services);
    }),
};
