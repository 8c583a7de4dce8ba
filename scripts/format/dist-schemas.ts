import {
  BUILD_NAME,
  DATASET_KEY,
  FILE_EXTENSION,
  FORMAT,
  LANGUAGE,
  SLUG,
  TABLE_FORMATS,
  type TableFormat,
} from './dist-format.ts';
import {
  anyOf,
  integer,
  list,
  map,
  nothing,
  oneOf,
  open,
  type Schema,
  type Static,
  text,
} from './json-schema.ts';

// The documents of dist/ that lead to its files: index.json and the manifests. Each schema is also a type.

const slug = text({ pattern: SLUG });
const buildName = text({ pattern: BUILD_NAME });
const datasetKey = text({ pattern: DATASET_KEY });
const instant = text({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$' });
const count = integer({ minimum: 0 });

const file = {
  /** The path relative to dist/, with `/`. */
  file: text({ pattern: String.raw`^[a-z0-9-]+/[a-z0-9_.]+\.${FILE_EXTENSION}$` }),
  bytes: integer({ minimum: 1 }),
  /** Of the file's bytes, in hex. */
  sha256: text({ pattern: '^[0-9a-f]{64}$' }),
};
const fileRef = open(file);
export type FileRef = Static<typeof fileRef>;

const listRef = open({ ...file, count });
/** A file with a list of `count` records. */
export type ListRef = Static<typeof listRef>;

const rosterRef = open({ ...file, count }, { gzip: fileRef });
/** A list of roster entries. Past builds have it only as `gzip`; absent if it equals the file of the characters. */
export type RosterRef = Static<typeof rosterRef>;

const kind = oneOf(['list', 'object']);
const datasetRef = open({ key: datasetKey, kind, ...file, count });
/** A dataset's file: a list of `count` records, or one object (`count` 1). */
export type DatasetRef = Static<typeof datasetRef>;

const compressed = { ...file, gzip: fileRef, brotli: fileRef };
const compressedRef = open(compressed);
/**
 * A file in three forms, each with its size and SHA-256: plain (the reference itself), gzip and brotli. dist/ has only the compressed ones; `file` is
 * the name of the plain one where it is published.
 */
export type CompressedRef = Static<typeof compressedRef>;

/** A file that dist/ has plain, or only compressed. */
export type StoredRef = FileRef | CompressedRef;
/** The file of a collection in a format: `key` is `characters`, or that of a dataset. Builds with an equal collection reference the same file. */
type CollectionRef = StoredRef & { key: string };

const collections: Schema<CollectionRef[]> = list(
  open({ key: datasetKey, ...file }, { gzip: fileRef, brotli: fileRef }) as Schema<CollectionRef>,
);
const zipRef = open({ ...file, collections });
/** A build as a zip, and the files in it separately, without collections that have no records. */
export type ZipRef = Static<typeof zipRef>;

const zips = Object.fromEntries(TABLE_FORMATS.map((format) => [format, zipRef]));
const bulk = open({}, { ...(zips as Record<TableFormat, typeof zipRef>), sqlite: compressedRef });
/** A build in other formats: as zips, and as a database. */
export type BulkRefs = Static<typeof bulk>;

const amendment = open({ at: instant, reason: text() });
/** A correction of a build after its release: when (ISO 8601 UTC) and why. */
export type Amendment = Static<typeof amendment>;

const withdrawal = open({ build: buildName, released_at: instant, at: instant, reason: text() });
/** A released build that was removed later: when and why. Times are ISO 8601 UTC. */
export type Withdrawal = Static<typeof withdrawal>;

const renames = map(map(text()));
/** The records that a build renumbered, by collection (`characters` or the key of a dataset): old id → new id. */
export type Renames = Static<typeof renames>;

const buildEntry = open(
  {
    build: buildName,
    /** Readers must hide the build before this time. */
    released_at: instant,
    note: anyOf([text(), nothing]),
    /** Oldest first. */
    amended: list(amendment),
    roster: rosterRef,
    characters: listRef,
    /** Sorted by key. */
    datasets: list(datasetRef),
    snapshot: compressedRef,
    /** Null for the first build. */
    diff: anyOf([nothing, fileRef]),
    history: fileRef,
    timeline: listRef,
    /** The meaning of the build's attributes (`AttributeDictionary`). */
    attributes: fileRef,
  },
  {
    /** The release times of regions where they differ, by the name of the region. Only for people: visibility depends on `released_at`. */
    released_in: map(instant),
    /** The changes of each of `amended` (`AmendmentChanges`); null if unknown. Absent if all are unknown. */
    amendments: list(anyOf([nothing, fileRef])),
    /** The datasets that are taken from an earlier build, with its name, because upstream's own could not be trusted. Absent if there are none. */
    carried_from: map(buildName),
    /** The date of a collection's source, if it is not that of the release; by `characters` or the key of a dataset. */
    as_of: map(text()),
    /** Absent if the build renumbered nothing. */
    renamed: renames,
    /** Set if dist/ has no files of `characters` and `datasets`, which are then parts of the snapshot. Absent in the newest build. */
    in_snapshot: oneOf([true]),
    /** Additional names of the build's records (`Aliases`). Absent if there are none. */
    aliases: fileRef,
    /** The build in other formats. Absent if there are none. */
    bulk,
    /** The history's pages after the first. Absent if there is only one. */
    history_pages: list(fileRef),
  },
);
/** One build of a game. Times are ISO 8601 in UTC. */
export type BuildEntry = Static<typeof buildEntry>;

const images = open({ hosts: list(text()), credit: text(), terms: text() });
const facts = {
  /** What else players call the game, in any language. */
  other_names: list(text()),
  /** The language of `name` and of other texts without one in their attribute: `en`. Absent if unknown. */
  language: text({ pattern: LANGUAGE }),
  /** The language of the game itself, if its texts here are in another one. */
  played_in: text({ pattern: LANGUAGE }),
  /** The usual number of days between two patches of the game. */
  cadence_days: integer({ minimum: 1 }),
  /** If this game has ended, the slug of the game that continues it. */
  successor: slug,
  /** The slugs of the same game in other regions. */
  other_regions: list(slug),
  /** Who serves the images of its records, who owns them, and the address of the terms under which they may be shown. */
  images,
};
/** The members of game.json that describe the game as a whole. */
export type GameDescription = { title: string } & {
  [Fact in keyof typeof facts]?: Static<(typeof facts)[Fact]> | undefined;
};

const title = text({ minLength: 1 });
export const manifestSchema = open(
  {
    slug,
    title,
    /** Oldest first. */
    builds: list(buildEntry, { minItems: 1 }),
  },
  {
    ...facts,
    /** Absent if no build was withdrawn. */
    withdrawn: list(withdrawal),
  },
);
/** A game. `builds` is never empty. */
export type Manifest = GameDescription & Pick<Static<typeof manifestSchema>, 'slug' | 'builds' | 'withdrawn'>;

export const indexSchema = open({ format: oneOf([FORMAT]), games: list(open({ slug, manifest: fileRef })) });
/** The content of index.json: the current manifest of each game, sorted by slug. */
export type Index = Static<typeof indexSchema>;
