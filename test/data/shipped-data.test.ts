import './facts.ts';
import './stat-calc.ts';
import './values.ts';
import { readdir, readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Collection } from '../../gateway/query/collection.ts';
import { readSearchText } from '../../gateway/query/fold.ts';
import { searchNames } from '../../gateway/query/name-index.ts';
import { readBuildsLock } from '../../scripts/check/recorded.ts';
import { locateFindings, renderFindings } from '../../scripts/check/report.ts';
import type { AttributeDictionary } from '../../scripts/format/attributes.ts';
import {
  encodeList,
  type Json,
  type JsonObject,
  type Manifest,
  SLUG,
} from '../../scripts/format/dist-format.ts';
import { readGameFile } from '../../scripts/read/game.ts';
import { readTrimmable } from '../../scripts/upstream/add/trim.ts';
import { findUnrecorded } from '../golden/golden.ts';
import { type ParsedBuild, parsePlan } from '../support/fixtures.ts';
import { DATA } from '../support/paths.ts';
import { sampleOf } from '../support/random.ts';
import { compileShipped } from './compile-shipped.ts';
import { newestFiles } from './newest-files.ts';
import { testSharedKeys } from './shared-keys.ts';

// They run in the same process, so that the games are compiled once for all.

const test = suite('shipped data');

const MAX_FACT_LENGTH = 200;
/** The shipped games, with the languages of characters' names upstream, except that of `name`. */
const GAMES: Record<string, string[]> = {
  arknights: ['ja', 'ko', 'zh_cn', 'zh_tw'],
  'arknights-endfield': ['es', 'ja'],
  'fate-grand-order': ['ja'],
  'fate-grand-order-jp': ['ja', 'ko', 'zh_cn', 'zh_tw'],
  'gakuen-idolmaster': ['ja'],
  'genshin-impact': [
    'de',
    'es',
    'fr',
    'id',
    'it',
    'ja',
    'ko',
    'pt',
    'ru',
    'th',
    'tr',
    'vi',
    'zh_cn',
    'zh_tw',
  ],
  'honkai-star-rail': ['ja', 'ko'],
  'limbus-company': [],
  nikke: [],
  'pokemon-tcg-pocket': [],
  'princess-connect': ['zh_cn'],
  'princess-connect-jp': ['ja'],
  'project-sekai': ['ko'],
  'project-sekai-kr': [],
  'wuthering-waves': [],
  'zenless-zone-zero': ['ja', 'ko'],
};

/** Games without levels, of which not all records have stats: Pokémon TCG Pocket has the HP of three quarters of its cards. */
const WITHOUT_LEVELS: readonly string[] = ['pokemon-tcg-pocket'];
/** And those whose stats are known of one level only. */
const WITHOUT_STAT_CALC: readonly string[] = [...WITHOUT_LEVELS, 'arknights-endfield', 'nikke'];
/** Games of which upstream has one day. */
const WITH_ONE_BUILD: readonly string[] = ['arknights-endfield'];

/** The paths of texts that are too long to be facts, except those that say where facts come from, what a skill does or who drew a card. */
function longTexts(value: Json, at: string): string[] {
  if (typeof value === 'string') return value.length > MAX_FACT_LENGTH ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => !/^(sources?|notes?|effect|effect_ja|illustrator)$/.test(name))
    .flatMap(([name, part]) => longTexts(part, `${at}/${name}`));
}

/** All values at the steps into objects and lists. */
function valuesAt(value: Json, [step, ...further]: string[]): Json[] {
  if (Array.isArray(value))
    return value.flatMap((each) => valuesAt(each, step === undefined ? [] : [step, ...further]));
  if (step === undefined) return [value];
  const inner = (value as JsonObject)[step];
  return inner === undefined ? [] : valuesAt(inner, further);
}

/** The names, in any language, by which their own record is not found before all that are called otherwise. */
function notFound(records: readonly JsonObject[]): string[] {
  const { names } = new Collection(Buffer.from(encodeList(records)));
  return records.flatMap((record, row) =>
    Object.entries(record).flatMap(([key, name]) => {
      if (!/^name(_\w+)?$/.test(key) || typeof name !== 'string') return [];
      const text = readSearchText(name);
      const found = text === undefined ? [] : searchNames(names, text);
      return found?.find((hit) => hit.row === row)?.rank === 0 ? [] : name;
    }),
  );
}

test('holds the expected games', async () => {
  const entries = await readdir(DATA, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.ok(folders.every((slug) => new RegExp(SLUG).test(slug)));
  assert.equal(
    Object.keys(GAMES).filter((slug) => !folders.includes(slug)),
    [],
  );
});

test('names a public upstream for each game', async () => {
  for (const slug of Object.keys(GAMES)) {
    const raw = await readGameFile(`${DATA}/${slug}`, []);
    const { git, npm } = (raw?.source ?? {}) as { git?: string; npm?: string };
    assert.ok(npm !== undefined || git?.startsWith('https://'), slug);
  }
});

for (const slug of sampleOf(Object.keys(GAMES), 4))
  test(`${slug}: the newest files hold nothing that gamedata pull would leave out`, async () => {
    const { files, trimmer } = await newestFiles(slug);
    for (const file of files.keys()) {
      if (!trimmer.trims(file)) continue;
      const shipped = await readTrimmable(await readFile(files.get(file) ?? '', 'utf8'), file);
      assert.equal(await trimmer.restOf(file), shipped, file);
    }
  });

for (const [slug, languages] of Object.entries(GAMES)) {
  let builds: ParsedBuild[] = [];

  // What its other builds have, and the findings that an override of theirs lifts: end-to-end/docs/gateway.process.test.ts.
  test(`${slug} compiles without an error`, async () => {
    const { value, findings } = await compileShipped(slug);
    const errors = findings.filter(({ severity }) => severity === 'error');
    assert.is(renderFindings(await locateFindings(errors)), '');
    builds = value ? parsePlan(value) : [];
    // Three files are about the builds before too, which are not compiled here.
    const files = [...(value?.files ?? [])].filter(([file]) => !/\/(history|timeline|manifest)\./.test(file));
    assert.equal(await findUnrecorded(slug, new Map(files)), [], 'not as in test/golden/record/shipped.txt');
  });

  test(`${slug} has recorded at least two builds, and each changes something`, async () => {
    const lock = await readBuildsLock(`${DATA}/${slug}`);
    const recorded = 'value' in lock ? Object.values(lock.value ?? {}) : [];
    assert.ok(recorded.length >= (WITH_ONE_BUILD.includes(slug) ? 1 : 2));
    const contents = recorded.map(({ characters, datasets }) => JSON.stringify([characters, datasets]));
    assert.is(new Set(contents).size, contents.length);
  });

  test(`${slug} has names in all its languages, rarity and stats for every character, except what upstream lacks`, () => {
    const newest = builds.at(-1)?.roster ?? [];
    const complete = newest.filter(
      (entry) =>
        languages.every((language) => entry[`name_${language}`]) &&
        entry.rarity !== undefined &&
        (entry.stats || WITHOUT_LEVELS.includes(slug)),
    );
    assert.ok(complete.length > 0.9 * newest.length, `${complete.length} of ${newest.length}`);
  });

  test(`${slug} has pull_planner, pull_rates and stat_calc and a source for every figure`, () => {
    for (const { build, datasets } of builds) {
      const calculated = WITHOUT_STAT_CALC.includes(slug) ? [] : ['stat_calc'];
      for (const key of ['pull_planner', 'pull_rates', ...calculated])
        assert.ok(datasets[key], `${build} ${key}`);
      const rates = datasets.pull_rates as JsonObject[];
      assert.ok(rates.length > 0);
      for (const { id, source, base_rate } of rates) {
        assert.ok(typeof source === 'string' && source.length > 0, `the source of ${id}`);
        assert.ok(typeof base_rate === 'number' && base_rate > 0 && base_rate <= 1, `the rate of ${id}`);
      }
      const { currency, banners, ...rest } = datasets.pull_planner as JsonObject;
      assert.equal(Object.keys(rest), []);
      const groups = [currency, ...(banners as JsonObject[])] as JsonObject[];
      assert.ok(groups.length > 1);
      for (const { name, source } of groups) {
        assert.ok(typeof source === 'string' && source.length > 0, `the source of ${name}`);
      }
    }
  });

  test(`${slug} has integers as the main stats, and says of which level they are`, async () => {
    const newest = builds.at(-1)?.roster ?? [];
    for (const { id, stats } of newest) {
      for (const stat of ['hp', 'atk', 'def', 'vocal']) {
        const value = (stats as JsonObject | undefined)?.[stat];
        assert.ok(value === undefined || Number.isInteger(value), `${stat} of ${id}: ${value}`);
      }
    }
    const { value } = await compileShipped(slug);
    const dictionary = [...(value?.files ?? [])].find(([file]) => file.startsWith(`${slug}/attributes.`));
    const parsed = JSON.parse(String(dictionary?.[1])) as AttributeDictionary;
    const { characters } = parsed;
    const unsaid = Object.entries(parsed).flatMap(([collection, { attributes }]) =>
      attributes
        .filter(({ description, kind, unit }) => !description || (kind === 'percentage' && !unit))
        .map(({ key }) => `${collection} ${key}`),
    );
    assert.equal(unsaid, [], 'without a description, or a percentage without a unit');
    const stats = characters?.attributes.filter(({ key }) => key.startsWith('stats.')) ?? [];
    assert.ok(stats.length > 0);
    assert.ok(
      stats.every(({ level, description }) => description && (level || WITHOUT_LEVELS.includes(slug))),
    );
  });

  test(`${slug} has addresses of images only at the hosts that it names, and says whose they are`, async () => {
    const { value } = await compileShipped(slug);
    const read = (start: string) =>
      JSON.parse(
        String([...(value?.files ?? [])].findLast(([file]) => file.startsWith(`${slug}/${start}.`))?.[1]),
      );
    const { images } = read('manifest') as Manifest;
    const { characters = [], datasets = {} } = builds.at(-1) ?? {};
    for (const [collection, { attributes }] of Object.entries(read('attributes') as AttributeDictionary)) {
      const records = collection === 'characters' ? characters : datasets[collection];
      const keys = attributes.filter(({ kind }) => kind === 'image').map(({ key }) => key.split('.'));
      const hosts = new Set(
        keys
          .flatMap((steps) => valuesAt(records ?? [], steps))
          .map((address) => new URL(String(address)).host),
      );
      assert.equal(
        [...hosts].filter((host) => !images?.hosts.includes(host)),
        [],
        collection,
      );
    }
  });

  test(`${slug} has no name that a search for it does not find first`, () => {
    const { characters = [], datasets = {} } = builds.at(-1) ?? {};
    for (const [collection, value] of Object.entries({ characters, ...datasets }))
      if (Array.isArray(value)) assert.equal(notFound(value as JsonObject[]), [], collection);
  });

  test(`${slug} holds facts, not prose`, () => {
    for (const { build, characters, datasets } of builds) {
      assert.equal(longTexts({ characters, datasets }, build), []);
    }
  });
}

test.run();
testSharedKeys(Object.keys(GAMES));
