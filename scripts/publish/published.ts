import type { KeyObject } from 'node:crypto';
import {
  BULK_FORMATS,
  type FileRef,
  FORMAT,
  INDEX_FILE,
  type Index,
  type Manifest,
} from '../format/dist-format.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf } from '../lib/count-of.ts';
import {
  MAX_SERIAL_STEP,
  PUBLISHED_FILE,
  type Published,
  parsePublished,
  signedText,
} from '../publication/published.ts';
import { isSignedBy, publicKeyOf, readPublicKey, signText } from '../publication/signature.ts';
import type { PublishedGame } from './publication.ts';
import type { Target } from './target.ts';

/** How an index is published. */
export interface IndexOptions {
  /** Signs published.json; undefined for no signature. */
  signingKey: KeyObject | undefined;
  /** The minimum serial; undefined for the next one. */
  serial: number | undefined;
  /** A higher serial that was wrong, which readers leave for this one. */
  supersede?: number | undefined;
}

/**
 * Makes the next published.json of a target.
 *
 * @param index the text of index.json
 * @returns undefined if the target has it already
 * @throws CommandError if the target's is signed and this one would not be
 */
export async function planPublished(
  target: Target,
  index: string,
  options: IndexOptions,
): Promise<Published | undefined> {
  const { signingKey } = options;
  const present = await readPublished(target);
  if (present?.signature !== undefined && !signingKey) {
    throw new CommandError(
      `${target.name}/${PUBLISHED_FILE} is signed: pass --signing-key; to end signing, remove it there and publish with --serial ${present.serial + 1}`,
    );
  }
  const supersedes = options.supersede ?? present?.supersedes;
  const next = nextSerial(target, present?.serial ?? 0, options);
  refuseReached(target, next, supersedes);
  const isSame =
    present?.index === index &&
    isSignedAs(present, signingKey) &&
    present.supersedes === supersedes &&
    present.serial >= (options.serial ?? 1);
  if (isSame) return undefined;
  const published = { format: FORMAT, serial: next, ...(supersedes !== undefined && { supersedes }), index };
  return signingKey ? { ...published, signature: signText(signedText(published), signingKey) } : published;
}

/**
 * Chooses a serial that readers of the present one follow.
 *
 * @throws CommandError when there is none, or the options ask for another
 */
function nextSerial(target: Target, present: number, { serial, supersede }: IndexOptions): number {
  if (supersede !== undefined && present >= supersede) {
    const first = serial ?? Math.min(MAX_SERIAL_STEP, supersede - 1);
    if (first < 1 || first >= supersede)
      throw new CommandError(
        `--serial is ${first}, expected one from 1 to below --supersede ${supersede}`,
        2,
      );
    if (supersede - first >= MAX_SERIAL_STEP) return first;
    throw new CommandError(
      `--serial ${first} is less than ${MAX_SERIAL_STEP} below --supersede ${supersede}: continue after the present serial instead, without --supersede`,
      2,
    );
  }
  const next = Math.max(serial ?? 1, present + 1);
  const where = `${target.name}/${PUBLISHED_FILE} has serial ${present}`;
  if (!hasRoom(next) && hasRoom(serial ?? 1)) {
    throw new CommandError(
      `${where}, after which there is no room: find out who wrote it, then publish with --supersede ${present} and the --serial that comes after the last right one`,
    );
  }
  if (!hasRoom(next) || (present > 0 && next > present + MAX_SERIAL_STEP)) {
    throw new CommandError(
      `${where}, and --serial is ${next}: gateways follow steps of at most ${MAX_SERIAL_STEP}; pass a lower one`,
      2,
    );
  }
  return next;
}

/**
 * Keeps a serial below the one that it supersedes: from that one on, readers would follow old copies.
 *
 * @throws CommandError when it is not below
 */
function refuseReached(target: Target, next: number, supersedes: number | undefined): void {
  if (supersedes === undefined || next < supersedes) return;
  throw new CommandError(
    `${target.name}/${PUBLISHED_FILE} supersedes serial ${supersedes}, and --serial is ${next}: from there on gateways would follow old copies; pass a lower one, or --supersede ${next + MAX_SERIAL_STEP}`,
    2,
  );
}

function hasRoom(serial: number): boolean {
  return Number.isSafeInteger(serial + MAX_SERIAL_STEP);
}

/**
 * Refuses to remove published builds.
 *
 * @param games of the dist/ that is to be published
 * @param now ms since 1970
 * @returns of the builds that both have, the formats that would vanish, such as `game 1.2 as csv`
 * @throws CommandError if released builds that the target has are missing
 */
export async function refuseOlder(
  target: Target,
  games: readonly PublishedGame[],
  now: number,
): Promise<string[]> {
  const missing: string[] = [];
  const lost: string[] = [];
  for (const { slug, manifest: ref } of (await readPresentIndex(target))?.games ?? []) {
    const game = games.find(({ manifest }) => manifest.slug === slug);
    if (game?.ref.file === ref.file) continue;
    const builds = new Map(game?.manifest.builds.map((entry) => [entry.build, entry]));
    for (const { build, released_at, bulk } of await readBuilds(target, ref)) {
      const entry = builds.get(build);
      if (Date.parse(released_at) <= now && !entry) missing.push(`${slug} ${build}`);
      const formats = BULK_FORMATS.filter((each) => bulk?.[each] && !entry?.bulk?.[each]);
      if (entry && formats.length > 0) lost.push(`${slug} ${build} as ${formats.join(', ')}`);
    }
  }
  if (missing.length === 0) return lost;
  throw new CommandError(
    `${countOf(missing.length, 'released build')} of ${target.name} would vanish (${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ', …' : ''}): this dist/ is older; build it from the newest data, or pass --allow-older`,
  );
}

async function readPublished(target: Target): Promise<Published | undefined> {
  const bytes = await target.read(PUBLISHED_FILE);
  return bytes && parsePublished(bytes);
}

/** @returns undefined if there is none, or one that cannot be read */
async function readPresentIndex(target: Target): Promise<Index | undefined> {
  const published = await readPublished(target);
  const text = published?.index ?? (await target.read(INDEX_FILE))?.toString();
  return text === undefined ? undefined : parse<Index>(text);
}

async function readBuilds(target: Target, { file }: FileRef): Promise<Manifest['builds']> {
  const bytes = await target.read(file);
  return (bytes && parse<Manifest>(bytes.toString())?.builds) ?? [];
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSignedAs(published: Published, key: KeyObject | undefined): boolean {
  if (!key) return published.signature === undefined;
  const publicKey = readPublicKey(publicKeyOf(key));
  return publicKey !== undefined && isSignedBy(signedText(published), published.signature ?? '', publicKey);
}
