import {
  BULK_FORMATS,
  BULK_TRAITS,
  type BuildEntry,
  type BulkFormat,
  type StoredRef,
  TABLE_FORMATS,
  type ZipRef,
} from '../../scripts/format/dist-format.ts';
import { mediaTypeOf } from '../../scripts/publish/targets.ts';
import type { Account, Limits } from '../access/account.ts';
import { type NetworkWidth, networksOf } from '../access/attempts.ts';
import { countUse } from '../access/quota.ts';
import { findGame } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { readOne, readWord } from '../http/incoming.ts';
import { HttpProblem, invalidParameter, quote, suggest, unavailable } from '../http/problem.ts';
import type { FileResult } from '../http/send-file.ts';
import { type Allowance, useLimits } from '../store/limits.ts';
import { FILES } from './links.ts';
import {
  type ApiRequest,
  type QueryParameter,
  type Route,
  type RouteResult,
  route,
  type Services,
} from './route.ts';
import { forSpreadsheets } from './spreadsheet.ts';

/** Names the newest build that the caller may see. No build can have this name. */
const LATEST = 'latest';

/**
 * Finds a build that the caller may see, by its name or as `latest`.
 *
 * @throws HttpProblem `unknown-build`
 */
export function findBuild({ slug, builds }: GameBuild, name: string): BuildEntry {
  const match = name === LATEST ? builds.at(-1) : builds.find(({ build }) => build === name);
  if (match) return match;
  const near = suggest(name, [...builds.map(({ build }) => build).reverse(), LATEST]);
  throw new HttpProblem(
    'unknown-build',
    `${slug} has no build ${quote(name)}${near}; /api/${slug}/history lists all`,
  );
}

/** The formats of downloads: JSON, and those of `gamedata build --formats`. */
const DOWNLOAD_FORMATS = ['json', ...BULK_FORMATS] as const;
type DownloadFormat = 'json' | BulkFormat;

/** A build in a format, or one of its collections, `characters` or the key of a dataset. */
interface Download {
  format: DownloadFormat;
  collection?: string | undefined;
  ref: StoredRef | ZipRef;
}

function downloadsOf({ snapshot, bulk = {} }: BuildEntry): Download[] {
  const others = BULK_FORMATS.flatMap((format): Download[] => {
    const ref: StoredRef | ZipRef | undefined = bulk[format];
    const collections = ref && 'collections' in ref ? ref.collections : [];
    const parts = collections.map((each) => ({ format, collection: each.key, ref: each }));
    return ref ? [{ format, ref }, ...parts] : [];
  });
  return [{ format: 'json', ref: snapshot }, ...others];
}

/** A parsed request: the build, the download, and whether its cells are made safe for spreadsheets. */
interface Choice {
  entry: BuildEntry;
  download: Download;
  isForSpreadsheets: boolean;
}

/**
 * Reads the parameters of a download.
 *
 * @throws HttpProblem `not-found` if the build lacks the format or the collection, `invalid-parameter`
 */
function readChoice({ query }: ApiRequest, game: GameBuild, build: string): Choice {
  const format = readWord(query, 'format', DOWNLOAD_FORMATS) ?? 'json';
  const collection = readOne(query, 'collection');
  if (collection !== undefined && (format === 'json' || format === 'sqlite'))
    throw invalidParameter(
      'collection',
      `collection was given with the format ${format}, expected ${listed(TABLE_FORMATS, 'or')}`,
    );
  const isForSpreadsheets = readWord(query, 'csv', ['spreadsheet']) !== undefined;
  if (isForSpreadsheets && format !== 'csv')
    throw invalidParameter('csv', 'csv=spreadsheet needs format=csv');
  if (isForSpreadsheets && query.some(([name]) => name === 'via'))
    throw invalidParameter('csv', 'csv=spreadsheet was given with via, expected one of them');
  const entry = findBuild(game, build);
  return { entry, download: findDownload(game, entry, format, collection), isForSpreadsheets };
}

function findDownload(
  { slug }: GameBuild,
  entry: BuildEntry,
  format: DownloadFormat,
  collection: string | undefined,
): Download {
  const downloads = downloadsOf(entry);
  const found = downloads.find((each) => each.format === format && each.collection === collection);
  if (found) return found;
  const which = `build ${entry.build} of ${slug}`;
  const keys = downloads.flatMap((each) => (each.format === format && each.collection) || []);
  if (downloads.some((each) => each.format === format))
    throw new HttpProblem(
      'not-found',
      `${which} has no collection ${quote(collection ?? '')} with records${suggest(collection ?? '', keys)}; expected one of ${keys.join(', ')}`,
    );
  const formats = DOWNLOAD_FORMATS.filter((each) => downloads.some((one) => one.format === each));
  throw new HttpProblem(
    'not-found',
    `${which} is not here as ${format}, only as ${formats.join(', ')}; the operator of this gateway chooses the formats`,
  );
}

/** Returns a download in every coding that dist/ has. */
function fileOf(
  { slug }: GameBuild,
  { build }: BuildEntry,
  { format, collection, ref }: Download,
  services: Services,
): FileResult {
  const name = [`${slug}-${build}`, ...(collection === undefined ? [] : [collection]), format].join('.');
  return {
    build,
    filename: ref.file.endsWith('.zip') ? `${name}.zip` : name,
    files: 'gzip' in ref ? { identity: ref, gzip: ref.gzip, br: ref.brotli } : ref,
    open: services.archive.open,
    handOver: services.links.handOver,
    ...(format !== 'json' && { type: mediaTypeOf(ref.file) }),
  };
}

/** Returns a file, or a variant of it that is safe for spreadsheets. @throws HttpProblem */
function resultOf(
  file: FileResult,
  { download: { ref }, isForSpreadsheets }: Choice,
  account?: string,
): RouteResult {
  const bytes = 'collections' in ref ? ref.collections.reduce((sum, part) => sum + part.bytes, 0) : ref.bytes;
  return isForSpreadsheets ? forSpreadsheets(file, bytes, account) : file;
}

const inCode = TABLE_FORMATS.map((format) => `\`${format}\``);
const listed = (words: readonly string[], last: string) =>
  `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

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

const VIA: QueryParameter = {
  name: 'via',
  description:
    '`link`: respond with an address that needs no key and expires in ten minutes, for another program to download from. It may lead to ' +
    'another host: do not send the key there.',
  schema: { enum: ['link'] },
};

/** The other media types of downloads, with their schemas. */
const DOWNLOAD_TYPES: NonNullable<Route['alternatives']> = {
  'application/zip': 'Zip',
  ...Object.fromEntries(
    Object.values(BULK_TRAITS).map(({ mediaType, schema }) => [mediaType.split(';', 1)[0], schema]),
  ),
};

/** The downloads of a free account, over all games and formats. */
const FREE_DOWNLOADS: Limits = { minute: 1, day: 1 };
const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;
/** The downloads of all free accounts in a network. */
const NETWORK_DOWNLOADS: Record<NetworkWidth, Allowance> = {
  connection: { atOnce: 4, everyMs: 6 * HOUR_MS },
  customer: { atOnce: 6, everyMs: 4 * HOUR_MS },
  site: { atOnce: 12, everyMs: 2 * HOUR_MS },
};

/**
 * Counts a download when its file is opened: neither a 304 nor a file that cannot be read counts.
 *
 * @param client the IP address of the client
 */
function counted(file: FileResult, services: Services, account: Account, client: string): FileResult {
  return {
    ...file,
    async open(ref) {
      const handle = await file.open(ref);
      try {
        await countDownload(services, account, client);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
  };
}

/** @throws HttpProblem `quota-exceeded` for the second download of a day, or if the network has used its downloads */
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

export const bulkRoute = route({
  path: '/api/:game/bulk',
  operationId: 'getBulk',
  summary: 'The newest build whole',
  description:
    'The newest build that the key may see: all full records and all datasets except the generated ones. A free account may download one in a UTC day, of any game and format; the ' +
    'second is a 429 with the policy `bulk`. Free accounts on one network may download four at once, and one more every six hours; then the policy is `bulk-network`. Every 200 and 206 counts, also those for HEAD; a 304 does not. `snapshot` has all builds, for Pro.',
  isPersonal: true,
  isFile: true,
  parameters: CHOICE,
  result: 'Snapshot',
  alternatives: DOWNLOAD_TYPES,
  problems: ['not-found'],
  handle(request, services) {
    const game = findGame(request);
    const choice = readChoice(request, game, LATEST);
    const file = fileOf(game, choice.entry, choice.download, services);
    const { caller, client = '', account } = request;
    const isCounted = caller?.tier === 'free';
    return resultOf(isCounted ? counted(file, services, caller.account, client) : file, choice, account);
  },
});

export const snapshotRoute = route({
  path: '/api/:game/snapshot/:build',
  operationId: 'getSnapshot',
  summary: 'A build whole',
  description:
    'The complete archive of a build: every full record and every dataset except the generated ones; `latest` is the newest build. ' +
    '`Range` and `If-Range` resume an interrupted download, and `Repr-Digest` is the SHA-256 of the bytes as sent, coding included. With `via=link` the response is a signed link of the download instead.',
  isPro: true,
  isFile: true,
  parameters: [VIA, ...CHOICE],
  result: 'SnapshotOrLink',
  alternatives: DOWNLOAD_TYPES,
  problems: ['not-found'],
  handle(request, services) {
    const viaLink = readWord(request.query, 'via', ['link']) !== undefined;
    const game = findGame(request);
    const choice = readChoice(request, game, request.params.build ?? '');
    const { entry, download } = choice;
    if (!viaLink) return resultOf(fileOf(game, entry, download, services), choice, request.account);
    const { bytes, sha256, file } = download.ref;
    const make = async () => JSON.stringify({ ...(await services.links.issue(file)), bytes, sha256 });
    return { build: entry.build, body: async () => ({ json: Buffer.from(await make()) }) };
  },
});

export const fileRoute = route({
  path: `${FILES}/:game/:file`,
  operationId: 'getFile',
  summary: 'A snapshot by its signed link',
  description:
    'The download that `via=link` of a snapshot leads to, when the gateway itself serves it. It needs no key: anyone with the address can ' +
    'use it until it expires. When the build was corrected since, the address is not found.',
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
  problems: ['invalid-link', 'not-found', 'unavailable'],
  handle({ view, params, query }, services) {
    const { game: slug = '', file: name = '' } = params;
    const file = `${slug}/${name}`;
    // A parameter that is given twice counts as missing.
    const [expires, signature] = ['expires', 'signature'].map((parameter) => {
      const values = query.filter((pair) => pair[0] === parameter);
      return (values.length === 1 && values[0]?.[1]) || '';
    });
    const state = services.links.check(file, expires ?? '', signature ?? '');
    if (state !== 'good') {
      const found = state === 'expired' ? 'the address has expired' : 'the signature of the address is wrong';
      throw new HttpProblem('invalid-link', `${found}; request the snapshot with via=link again`);
    }
    const game = view.games.get(slug);
    // The oldest one: builds share the files of unchanged collections, and the address may be from any of them.
    for (const entry of game?.builds ?? []) {
      const download = downloadsOf(entry).find(({ ref }) => ref.file === file);
      if (game && download) return fileOf(game, entry, download, services);
    }
    if (view.lost.has(slug)) throw unavailable('the data of this build cannot be read right now');
    throw new HttpProblem(
      'not-found',
      'the build was corrected since; request its snapshot with via=link again',
    );
  },
});
