import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { distReader, readIndex, readManifest } from '../../scripts/dist/read-dist.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { type Files, withFolder, writeFiles } from '../support/fixtures.ts';
import { seededRandom } from '../support/random.ts';
import { NOTICE_SECRET, receiveNotices } from '../support/receive-notices.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { withPrograms } from '../support/skip.ts';
import { UpstreamRepository } from '../support/upstream-repository.ts';
import { type MadeCommit, MadeHistory } from './made-history.ts';

const history = suite('forty builds without a person');
const test = withPrograms(history, 'git');

/** Each makes one to three builds, the first one aside. */
const EPISODES: readonly ((made: MadeHistory) => void)[] = [
  (made) => {
    made.addUnit();
    made.addUnit();
    made.addItem();
    made.release('served');
  },
  (made) => {
    made.balance();
    made.release('served');
  },
  (made) => {
    made.elsewhere();
    made.elsewhere();
    made.balance();
    made.release('served');
  },
  (made) => {
    made.balance();
    made.release('nothing');
    made.addUnit();
    made.again('served', 20);
  },
  (made) => {
    made.balance();
    made.release('served');
    made.balance();
    made.again('corrected', 150);
  },
  (made) => {
    made.removeItem();
    made.release('served');
  },
  (made) => {
    made.renameItem();
    made.release('served');
  },
  (made) => askPerson(made, () => made.removeUnit()),
  (made) => askPerson(made, () => made.renameUnit()),
  (made) => keep(made, () => made.raiseAll()),
  (made) => {
    made.addCrit();
    made.release('served');
  },
  (made) => {
    made.addKorean();
    made.release('served');
  },
  (made) =>
    breakOne(
      made,
      made.unitsWith((unit, at) => (at < 10 ? unit : undefined)),
    ),
  (made) =>
    breakOne(
      made,
      made.unitsWith((unit, at) => (at === 5 ? undefined : unit)),
    ),
  (made) =>
    breakOne(
      made,
      made.unitsWith((unit) => ({ ...unit, hp: 0 })),
    ),
  (made) =>
    breakOne(
      made,
      made.unitsWith((unit, at) => ({ ...unit, name: `UNIT_NAME_${at}` })),
    ),
  (made) => breakOne(made, { 'raw/units.json': halfOf(made) }),
  (made) => {
    const before = made.tables();
    made.addUnit();
    made.addUnit();
    made.release('served');
    breakOne(made, before);
  },
  (made) => {
    made.addUnit();
    made.release('held', { 'raw/units.json': halfOf(made) });
    made.again('mended', 180);
  },
  (made) => {
    made.addUnit();
    made.release('carried', { 'raw/items.json': [] });
    made.again('mended', 180);
  },
];

/** A loss, which a person accepts. */
function askPerson(made: MadeHistory, change: () => void): void {
  change();
  made.release('asked');
  made.balance();
  made.release('accepted');
}

/** A change of values that may be real, which upstream keeps. */
function keep(made: MadeHistory, change: () => void): void {
  change();
  made.release('asked');
  made.balance();
  made.release('waits');
  made.balance();
  made.release('kept');
}

/** A broken build, after which upstream is whole again. */
function breakOne(made: MadeHistory, files: Files): void {
  made.release('held', files);
  made.balance();
  made.release('served');
}

function halfOf(made: MadeHistory): string {
  const text = JSON.stringify(made.tables()['raw/units.json']);
  return text.slice(0, text.length / 2);
}

const GAME: JsonObject = {
  title: 'Game',
  tables: {
    units: 'raw/units.json',
    items: 'raw/items.json',
    ja: 'lang/ja.json',
    ko: { files: 'lang/ko.json', optional: true },
  },
  roster: {
    from: 'units',
    entry: `{'id': $key, 'name': name, 'name_ja': $lookup($tables.ja, $key), 'name_ko': $lookup($tables.ko, $key),
      'rarity': rarity, 'element': element, 'stats': {'hp': hp, 'atk': atk, 'crit': crit}}`,
  },
  datasets: {
    items: { from: 'items', entry: "{'id': id, 'name': name, 'price': price}" },
    pull_planner: "{'currency': 'Gem'}",
  },
};
const MINUTE_MS = 60_000;
/** In `npm test`; each makes one to three builds. */
const SAMPLE = 4;
/** So many are repeated in `npm run test:all`. */
const AGAIN = 10;

type Rows = Record<string, unknown>;

/** The units and items of each build, in one form for what is served and what the dump has. */
type Content = Map<string, { units: Rows; items: Rows }>;

interface Place {
  upstream: UpstreamRepository;
  /** `gamedata pull --build` at a time. Returns the exit code and the notices, as `build.held 1.3`. */
  round(at: number): Promise<{ code: number; notices: string[]; printed: string }>;
  /** Accepts a build that is held back, as a person does in held.json. */
  accept(build: string): Promise<void>;
  served(): Promise<Content>;
}

async function withUpstream(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder({}, async (cwd) => {
    const upstream = await UpstreamRepository.create(path.join(cwd, 'up'));
    const source = { git: upstream.address, build: { subject: '^Update (\\S+)$' }, later_commits: 'take' };
    await writeFiles(cwd, { 'data/game/game.json': { ...GAME, source } });
    const hook = await receiveNotices();
    const args = ['pull', '--build', '--allow-local', '--coverage', 'none', '--webhook', hook.address];
    try {
      await use({
        upstream,
        async round(now) {
          const env = { GAMEDATA_WEBHOOK_SECRET: NOTICE_SECRET };
          const { code, stdout, stderr } = await runInProcess('gamedata', args, { cwd, env, now });
          const notices = hook.received
            .splice(0)
            .map(({ type, data }) => `${type} ${'build' in data ? data.build : 'game'}`);
          return { code, notices, printed: `${stdout}${stderr}` };
        },
        async accept(build) {
          const file = path.join(cwd, 'data/game/held.json');
          const held = JSON.parse(await readFile(file, 'utf8'));
          held.builds[build].overrides = held.builds[build].questions.map((question: string) => {
            const [check, of] = question.split(' ');
            return { check, of, reason: 'The unit left the game.' };
          });
          await writeFile(file, JSON.stringify(held));
        },
        served: () => readServed(path.join(cwd, 'dist')),
      });
    } finally {
      hook.close();
    }
  });
}

async function readServed(dist: string): Promise<Content> {
  const ref = (await readIndex(dist))?.games[0]?.manifest;
  const manifest = ref && (await readManifest(dist, ref));
  const served: Content = new Map();
  if (manifest === undefined) return served;
  const read = distReader(dist, manifest);
  for (const entry of manifest.builds) {
    const { characters, datasets } = await read(entry);
    const items = datasets.get('items');
    const units = byId(characters, ({ name, name_ja, name_ko, rarity, element, stats }) => ({
      ...{ name, name_ja, name_ko, rarity, element },
      ...(stats as Rows),
    }));
    served.set(entry.build, { units, items: byId(items?.kind === 'list' ? items.records : []) });
  }
  return served;
}

function byId(records: readonly string[], change = (record: JsonObject): unknown => record): Rows {
  const all = records.map((text) => JSON.parse(text) as JsonObject);
  return Object.fromEntries(all.map((record) => [String(record.id), change(record)]));
}

/** The content of a commit as its files have it. */
function contentOf(files: Files): { units: Rows; items: Rows } {
  const table = (file: string) => (files[file] ?? {}) as Record<string, JsonObject>;
  const units = Object.entries(table('raw/units.json')).map(([id, unit]) => [
    id,
    { ...unit, name_ja: table('lang/ja.json')[id], name_ko: table('lang/ko.json')[id] },
  ]);
  const items = Object.values(table('raw/items.json')).map((item) => [String(item.id), item]);
  return { units: Object.fromEntries(units), items: Object.fromEntries(items) };
}

/** What the operator gets after a commit. */
function noticesOf(commits: readonly MadeCommit[], at: number): string[] {
  const { outcome, build } = commits[at] ?? {};
  if (outcome === 'held' || outcome === 'asked' || outcome === 'carried') return [`build.held ${build}`];
  return outcome === 'kept' ? [`build.accepted ${commits[at - 2]?.build}`] : [];
}

/** The builds that wait for a person after a commit, if `before` waited then. */
function waitingAfter(commits: readonly MadeCommit[], at: number, before: ReadonlySet<string>): Set<string> {
  const { outcome, build = '' } = commits[at] ?? {};
  const waiting = new Set(before);
  if (outcome === 'held' || outcome === 'asked' || outcome === 'waits') waiting.add(build);
  if (outcome === 'mended') waiting.delete(build);
  const taken = outcome === 'kept' ? 2 : outcome === 'accepted' ? 1 : 0;
  for (const each of commits.slice(at - taken, at)) waiting.delete(each.build ?? '');
  return waiting;
}

test('each is served, held back or asked about, and what is served is what upstream has', async () => {
  await withUpstream(async ({ upstream, round, accept, served }) => {
    const { commits } = makeHistory(seededRandom());
    const expected: Content = new Map();
    let waiting = new Set<string>();
    for (const [index, { subject, build, at, files, outcome }] of commits.entries()) {
      await upstream.commit(subject, at, files);
      if (outcome === 'accepted') await accept(commits[index - 1]?.build ?? '');
      const { code, notices, printed } = await round(
        Date.parse(at) + (outcome === 'nothing' ? 5 : 90) * MINUTE_MS,
      );
      waiting = waitingAfter(commits, index, waiting);
      assert.equal(notices, noticesOf(commits, index), `${subject}: ${outcome}\n${printed}`);
      assert.is(code, waiting.size > 0 ? 1 : 0, `${subject}: ${outcome}\n${printed}`);
      if (build !== undefined && outcome !== 'held' && outcome !== 'carried')
        expected.set(build, contentOf(files));
    }
    const content = await served();
    assert.equal([...content.keys()], [...expected.keys()]);
    for (const [build, wanted] of expected) assert.equal(content.get(build), wanted, build);
  });
});

/** In `npm run test:all` all episodes, some of them twice: more than forty builds. */
function makeHistory(random: () => number): MadeHistory {
  const made = new MadeHistory(random);
  const isWhole = process.env.GAMEDATA_RUNS === 'all';
  const left = isWhole ? [...EPISODES, ...EPISODES.slice(0, AGAIN)] : [...EPISODES];
  for (let count = isWhole ? left.length : SAMPLE; count > 0; count--)
    for (const play of left.splice(Math.floor(random() * left.length), 1)) play(made);
  return made;
}

history.run();
