import * as dist from '../../scripts/format/dist-format.ts';
import { mediaTypeOf } from '../../scripts/publish/targets.ts';
import type { Account } from '../access/account.ts';
import { countsToday, countUse } from '../access/quota.ts';
import { findGame } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { readOne, readWord } from '../http/incoming.ts';
import { HttpProblem, quote, suggest, unavailable } from '../http/problem.ts';
import type { FileResult } from '../http/send-file.ts';
import { FILES } from './links.ts';
import {
  type ApiRequest,
  parameter,
  type QueryParameter,
  type Route,
  route,
  type Services,
} from './route.ts';

/** Names the newest build that the caller may see. No build can have this name. */
const LATEST = 'latest';

/**
 * Finds a build that the caller may see, by its name or as `latest`.
 *
 * @throws HttpProblem `unknown-build`
 */
export function findBuild({ slug, builds }: GameBuild, name: string): dist.BuildEntry {
  const match = name === LATEST ? builds.at(-1) : builds.find(({ build }) => build === name);
  if (match) return match;
  const near = suggest(name, [...builds.map(({ build }) => build).reverse(), LATEST]);
  const detail = `${slug} has no build ${quote(name)}${near}; /api/${slug}/history lists all`;
  throw new HttpProblem('unknown-build', detail);
}

/** The formats of downloads: JSON, and those of `gamedata build --formats`. */
const DOWNLOAD_FORMATS = ['json', ...dist.BULK_FORMATS] as const;

/** A build in a format, or one of its collections, `characters` or the key of a dataset. */
interface Download {
  format: (typeof DOWNLOAD_FORMATS)[number];
  collection?: string | undefined;
  ref: dist.StoredRef | dist.ZipRef;
}

function downloadsOf({ snapshot, bulk = {} }: dist.BuildEntry): Download[] {
  const others = dist.BULK_FORMATS.flatMap((format): Download[] => {
    const ref: dist.StoredRef | dist.ZipRef | undefined = bulk[format];
    const collections = ref && 'collections' in ref ? ref.collections : [];
    const parts = collections.map((each) => ({ format, collection: each.key, ref: each }));
    return ref ? [{ format, ref }, ...parts] : [];
  });
  return [{ format: 'json', ref: snapshot }, ...others];
}

/** Finds the download that a request asks for. @throws HttpProblem `not-found` if the build lacks the format or the collection */
function findDownload({ query }: ApiRequest, game: GameBuild, build: string) {
  const format = readWord(query, 'format', DOWNLOAD_FORMATS) ?? 'json';
  const collection = readOne(query, 'collection');
  const entry = findBuild(game, build);
  const downloads = downloadsOf(entry);
  const own = downloads.filter((each) => each.format === format);
  const download = own.find((each) => each.collection === collection);
  if (download) return { entry, download };
  const which = `build ${entry.build} of ${game.slug}`;
  const formats = new Set(downloads.map((each) => each.format));
  const keys = own.flatMap((each) => each.collection ?? []);
  throw new HttpProblem(
    'not-found',
    own.length === 0
      ? `${which} is not here as ${format}, only as ${[...formats].join(', ')}; the operator of this gateway chooses the formats`
      : `${which} has no collection ${quote(collection ?? '')} as ${format}${suggest(collection ?? '', keys)}; expected ${keys.join(', ') || 'none'}`,
  );
}

/** Returns a download in every coding that dist/ has. */
function fileOf(
  { slug }: GameBuild,
  { build }: dist.BuildEntry,
  download: Download,
  { archive }: Services,
): FileResult {
  const { format, collection, ref } = download;
  const name = [`${slug}-${build}`, ...(collection === undefined ? [] : [collection]), format].join('.');
  return {
    build,
    filename: ref.file.endsWith('.zip') ? `${name}.zip` : name,
    files: 'gzip' in ref ? { identity: ref, gzip: ref.gzip, br: ref.brotli } : ref,
    open: archive.open,
    ...(format !== 'json' && { type: mediaTypeOf(ref.file) }),
  };
}

/** The parameters that choose what is downloaded. */
const CHOICE: readonly QueryParameter[] = [
  parameter('format', 'The format. /api/games lists those that there are.', {
    enum: DOWNLOAD_FORMATS,
    default: 'json',
  }),
  parameter('collection', 'Only the file of this collection, of a format that is a zip.', { maxLength: 64 }),
];

const VIA = parameter(
  'via',
  '`link`: respond with an address that needs no key and expires in ten minutes. It may lead to another host: do not send the key there.',
  { enum: ['link'] },
);

/** The other media types of downloads, with their schemas. */
const DOWNLOAD_TYPES: NonNullable<Route['alternatives']> = {
  'application/zip': 'Zip',
  ...Object.fromEntries(
    Object.values(dist.BULK_TRAITS).map(({ mediaType, schema }) => [mediaType.split(';', 1)[0], schema]),
  ),
};

/** How many parts of its file a free account may request in a UTC day, to continue a broken download. */
const MAX_PARTS = 20;

/** Counts a download of a free account when its file is opened: neither a 304 nor a file that cannot be read counts. One a UTC day is admitted. */
function counted(file: FileResult, { store }: Services, account: Account): FileResult {
  return {
    ...file,
    async open(ref, isPart) {
      const handle = await file.open(ref, isPart);
      const count = (what: string, most: number) =>
        countUse(store, { what, account, limits: { minute: most, day: most } });
      const ofFile = `bulk ${ref.sha256}`;
      try {
        const { isAllowed, seconds } = await count('bulk', 1);
        const isBegun = isAllowed || (isPart && (await countsToday(store, ofFile, account)));
        if (isBegun && (await count(ofFile, MAX_PARTS)).isAllowed) return handle;
        throw new HttpProblem(
          'quota-exceeded',
          `this account has downloaded a whole build today, and a free account may download one in a UTC day; the next one is admitted in ${seconds} s. Lists and single records can still be read`,
          { 'violated-policies': ['bulk'] },
          {
            'RateLimit-Policy': '"bulk";q=1;w=86400',
            RateLimit: `"bulk";r=0;t=${seconds}`,
            'Retry-After': seconds,
          },
        );
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
  };
}

export const bulkRoute = route({
  path: '/api/:game/bulk',
  operationId: 'getBulk',
  summary: 'The newest build whole; for a free account one in a UTC day',
  isPersonal: true,
  isFile: true,
  parameters: CHOICE,
  result: 'Snapshot',
  alternatives: DOWNLOAD_TYPES,
  problems: ['not-found'],
  handle(request, services) {
    const game = findGame(request);
    const { entry, download } = findDownload(request, game, LATEST);
    const file = fileOf(game, entry, download, services);
    const { caller } = request;
    return caller?.tier === 'free' ? counted(file, services, caller.account) : file;
  },
});

export const snapshotRoute = route({
  path: '/api/:game/snapshot/:build',
  operationId: 'getSnapshot',
  summary: 'A build whole; `latest` is the newest',
  isPro: true,
  isFile: true,
  parameters: [VIA, ...CHOICE],
  result: 'SnapshotOrLink',
  alternatives: DOWNLOAD_TYPES,
  problems: ['not-found'],
  handle(request, services) {
    const viaLink = readWord(request.query, 'via', ['link']) !== undefined;
    const game = findGame(request);
    const { entry, download } = findDownload(request, game, request.params.build ?? '');
    if (!viaLink) return fileOf(game, entry, download, services);
    const { bytes, sha256, file } = download.ref;
    const make = async () => JSON.stringify({ ...(await services.links.issue(file)), bytes, sha256 });
    return { build: entry.build, body: async () => ({ json: Buffer.from(await make()) }) };
  },
});

export const fileRoute = route({
  path: `${FILES}/:game/:file`,
  operationId: 'getFile',
  summary: 'A snapshot by its signed link',
  isSigned: true,
  isFile: true,
  parameters: [
    parameter('expires', 'In seconds since 1970.', { type: 'integer' }, { required: true }),
    parameter('signature', 'The signature of the gateway.', {}, { required: true }),
  ],
  result: 'Snapshot',
  alternatives: DOWNLOAD_TYPES,
  problems: ['invalid-link', 'not-found', 'unavailable'],
  handle({ view, params, query }, services) {
    const { game: slug = '', file: name = '' } = params;
    const file = `${slug}/${name}`;
    const [expires = '', signature = ''] = [readOne(query, 'expires'), readOne(query, 'signature')];
    const state = services.links.check(file, expires, signature);
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
    const detail = 'the build was corrected since; request its snapshot with via=link again';
    throw new HttpProblem('not-found', detail);
  },
});
