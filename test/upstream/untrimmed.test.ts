import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { locateFindings, renderFindings } from '../../scripts/check/report.ts';
import { compileGame } from '../../scripts/compile/game.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { isSameValue, readTrimmable } from '../../scripts/upstream/add/trim.ts';
import { newestFiles } from '../data/newest-files.ts';
import { type Files, withFolder, writeFiles } from '../support/fixtures.ts';
import { DATA } from '../support/paths.ts';
import { sampleOf } from '../support/random.ts';
import { testUpstream, UPSTREAM } from '../support/skip.ts';

// The mappings of shipped games on the newest files of upstream as they are there: data/ has them without what no mapping reads.

/** How many games are compiled unless all tests run. */
const GAMES = 2;
const DUMPS = path.join(UPSTREAM, '..');

/** A folder of a dump, and the folder of the build where its files belong. */
type Part = readonly [dump: string, into: string];

/** The newest build of a game: folders that are copied, and files that are made of others. */
interface Newest {
  build: string;
  parts?: readonly Part[];
  /** @param shipped reads a file of the build, or of the last one before that has it */
  make?: (shipped: (file: string) => JsonObject[] | undefined) => Files;
}

const json = (file: string) => JSON.parse(readFileSync(path.join(DUMPS, file), 'utf8'));

const TABLES = 'upstream-2026/arknights-tables/2026-08-22';
const FGO = 'upstream-2026/fgo/2026-08-18';
const GENSHIN = 'upstream-2026/genshin/6.7/src/data';

const NEWEST: Readonly<Record<string, Newest>> = {
  // Its operators are those of the build before: the dump of their table has less than the shipped one.
  arknights: {
    build: '2026-08-22',
    parts: [
      [`${TABLES}/en`, 'en_US'],
      [`${TABLES}/jp`, 'ja_JP'],
      [`${TABLES}/kr`, 'ko_KR'],
    ],
  },
  'fate-grand-order': {
    build: '2021-07-21',
    parts: [
      ['upstream/fgo/na-2.18.2-dv331-2021-07-04', ''],
      ['upstream/fgo/jp-2.35.1-dv1185-2021-07-21', 'jp'],
    ],
  },
  'fate-grand-order-jp': { build: '2026-08-18', make: splitFateGrandOrder },
  'gakuen-idolmaster': { build: '2026-03-31', parts: [['upstream/gakumas/2026-03-31', '']] },
  'genshin-impact': { build: '6.7', make: joinGenshin },
  'honkai-star-rail': {
    build: '2026-07-24',
    parts: [['upstream-2026/honkai-star-rail/2026-07-24', '']],
  },
  'limbus-company': { build: '2026-01-16', parts: [['upstream-2026/limbus-company/2026-01-16', '']] },
  'princess-connect': {
    build: '202403281636',
    parts: [
      ['upstream/princess-connect/202403281636', ''],
      ['upstream-more/princess-connect/202403281636', ''],
    ],
  },
  'princess-connect-jp': {
    build: '10054600',
    parts: [['upstream-2026/princess-connect-jp/10054600', '']],
  },
  'project-sekai': { build: '1.1.0.1', parts: [['upstream/project-sekai/jp-1.1.0.1', 'jp']] },
  'project-sekai-kr': { build: '5.2.0.5', parts: [['upstream-2026/project-sekai/5.2.0.5', '']] },
  'wuthering-waves': { build: '3.1', parts: [['upstream-2026/wuthering-waves/3.1', '']] },
  'zenless-zone-zero': {
    build: '2026-07-24',
    parts: [['upstream-2026/zenless-zone-zero/2026-07-24', '']],
  },
};

/** Upstream splits its tables; the dump has each whole. Rows that it lacks stay as they are shipped. */
function splitFateGrandOrder(shipped: (file: string) => JsonObject[] | undefined): Files {
  const files: Record<string, unknown> = {};
  const tables = {
    servants: 'servants',
    craftEssences: 'craft_essences_raw',
    mstGacha: 'gacha',
    items: 'items_raw',
  };
  for (const [name, dump] of Object.entries(tables)) {
    const rows = new Map<string, JsonObject>();
    for (const row of json(`${FGO}/${dump}.json`)) rows.set(`${row.id} ${row.collectionNo}`, row);
    for (const suffix of ['', '.1', '.2', '.3', '.4', '.5', '.6', '.7']) {
      const file = `dist/${name}${suffix}.json`;
      const part = shipped(file);
      if (part) files[file] = part.map((row) => rows.get(`${row.id} ${row.collectionNo}`) ?? row);
    }
  }
  for (const [file, dump] of [
    ['svt_names', 'names'],
    ['ce_names', 'ce_names'],
    ['item_names', 'item_names'],
  ])
    files[`mappings/${file}.json`] = json(`${FGO}/${dump}.json`);
  return files as Files;
}

/** `source` of the game takes tables out of one large file; the dump has a file for each row. */
function joinGenshin(): Files {
  const files: Record<string, unknown> = {};
  for (const [language, code] of [
    ['English', 'en'],
    ['Japanese', 'ja'],
    ['Korean', 'ko'],
  ] as const) {
    for (const kind of ['characters', 'weapons', 'outfits']) {
      const folder = `${GENSHIN}/${language}/${kind}`;
      if (!existsSync(path.join(DUMPS, folder))) continue;
      const names = readdirSync(path.join(DUMPS, folder));
      const rows = names.map((name) => [path.parse(name).name, json(`${folder}/${name}`)]);
      files[code === 'en' ? `raw/en/${kind}.json` : `raw/names/${kind}/${code}.json`] =
        Object.fromEntries(rows);
    }
  }
  for (const table of ['stats', 'version', 'curve'])
    for (const kind of ['characters', 'weapons'])
      files[`raw/${table}/${kind}.json`] = json(`${GENSHIN}/${table}/${kind}.json`);
  files['raw/image/characters.json'] = json(`${GENSHIN}/image/characters.json`);
  return files as Files;
}

/** The folders of the builds of a game up to one, the newest first. */
function buildsOf(game: string, newest: string): string[] {
  const builds = readdirSync(game).filter((entry) => existsSync(path.join(game, entry, 'build.json')));
  const time = (build: string) =>
    Date.parse(JSON.parse(readFileSync(path.join(game, build, 'build.json'), 'utf8')).released_at);
  return builds.filter((build) => time(build) <= time(newest)).sort((a, b) => time(b) - time(a));
}

/** Writes the files of the dump to a folder; those that no build of the game has are not read. Returns where each is. */
async function layOut({ build, parts = [], make }: Newest, slug: string, into: string) {
  const game = path.join(DATA, slug);
  const builds = buildsOf(game, build);
  const known = new Set(
    builds.flatMap((each) => readdirSync(path.join(game, each), { recursive: true }) as string[]),
  );
  const laid = new Map<string, string>();
  for (const [dump, folder] of parts) {
    for (const file of readdirSync(path.join(DUMPS, dump), { recursive: true }) as string[]) {
      const target = path.join(folder, file);
      if (!known.has(target) || !/\.\w+$/.test(file)) continue;
      await cp(path.join(DUMPS, dump, file), path.join(into, target));
      laid.set(target, path.join(into, target));
    }
  }
  const made = make?.((file) => {
    const from = builds.find((each) => existsSync(path.join(game, each, file)));
    return from && JSON.parse(readFileSync(path.join(game, from, file), 'utf8'));
  });
  await writeFiles(into, made ?? {});
  for (const file of Object.keys(made ?? {})) laid.set(file, path.join(into, file));
  assert.ok(laid.size > 0);
  return laid;
}

/** Files of which data/ has less than the rules leave, chosen by hand: game.json says what. */
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  'fate-grand-order': [
    'jp/master/mstSvt.json',
    'master/mstSvt.json',
    'master/mstSvtLimit.json',
    'master/mstTreasureDevice.json',
  ],
  'fate-grand-order-jp': [
    ...[1, 2, 3, 4, 5].map((part) => `dist/servants.${part}.json`),
    'mappings/ce_names.json',
    'mappings/item_names.json',
    'mappings/svt_names.json',
  ],
  'honkai-star-rail': ['store/hsr/hsr.json'],
  'princess-connect': [
    'skill_action.csv',
    'skill_data.csv',
    'unit_attack_pattern.csv',
    'unit_profile.csv',
    'unit_promotion_status.csv',
    'unit_skill_data.csv',
  ],
  'princess-connect-jp': ['unit_promotion_status.csv'],
  'project-sekai': ['jp/cards.json'],
};

const test = suite('untrimmed files of upstream');

for (const slug of sampleOf(Object.keys(NEWEST), GAMES)) {
  const newest = NEWEST[slug] as Newest;

  testUpstream(test, `${slug}: the newest ones give the build that is recorded`, async () => {
    await withFolder({}, async (cwd) => {
      const game = path.join(cwd, slug);
      await cp(path.join(DATA, slug), game, { recursive: true });
      await layOut(newest, slug, path.join(game, newest.build));
      const { value, findings } = await compileGame(game, slug, { only: { names: [], newest: 1 } });
      // A build that is not as builds.lock.json records it is an error.
      const errors = findings.filter(({ severity, check }) => severity === 'error' && check !== 'game-size');
      assert.is(renderFindings(await locateFindings(errors)), '');
      assert.ok(value);
    });
  });

  testUpstream(test, `${slug}: data/ holds what gamedata add writes of the newest ones`, async () => {
    await withFolder({}, async (cwd) => {
      const laid = await layOut(newest, slug, cwd);
      const { files, trimmer } = await newestFiles(slug, laid);
      const others: string[] = [];
      for (const file of laid.keys()) {
        const shipped = await readTrimmable(readFileSync(files.get(file) ?? '', 'utf8'), file);
        if (!isSameValue(shipped, await trimmer.valueOf(file))) others.push(file);
      }
      assert.equal(others.sort(), CHOSEN[slug] ?? []);
    });
  });
}

test.run();
