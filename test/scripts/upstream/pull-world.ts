import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import type { Json, JsonObject, Manifest, Snapshot } from '../../../scripts/format/dist-format.ts';
import type { Item, PullReport } from '../../../scripts/upstream/pull/report.ts';
import type { State } from '../../../scripts/upstream/pull/state.ts';
import { type Files, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';
import { NOTICE_SECRET, receiveNotices } from './receive-notices.ts';

export const NAMES = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Fay', 'Gil', 'Hal', 'Ida', 'Jon'];

/** Units by key; the first one has other hit points. */
export function units(names: readonly string[] = NAMES, plus = 0): JsonObject {
  return Object.fromEntries(
    names.map((name, at) => [name.toLowerCase(), { name, hp: 100 + at + (at === 0 ? plus : 0) }]),
  );
}

export function gear(count = 40): Json {
  return Array.from({ length: count }, (_, at) => ({ id: `g${at}`, name: `Gear ${at}`, power: 10 + at }));
}

/** A day of January 2026, ISO 8601. */
export const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();

/** A game whose builds are commits of a real repository, and rounds of the real `gamedata pull --build`. */
export interface World {
  cwd: string;
  folder: string;
  upstream: UpstreamRepository;
  hook: Awaited<ReturnType<typeof receiveNotices>>;
  /** Commits a build on a day, with files beside `units.json`. */
  commit(build: string, on: number, files?: Files): Promise<string>;
  /** Runs one round on a day; what is new in the notices is in `told`. */
  round(on: number, ...args: string[]): Promise<Outcome & { told: Item[] }>;
  run(on: number, ...args: string[]): Promise<Outcome>;
  state(): Promise<State>;
  manifest(): Promise<Manifest | undefined>;
  /** The names of the builds in dist/, and the records of the newest one. */
  served(): Promise<string[]>;
  newest(list?: string): Promise<JsonObject[]>;
  edit(change: (definition: JsonObject) => void): Promise<void>;
  reports(): PullReport[];
}

/** @param source members of `source` in game.json */
export async function withWorld(source: JsonObject, use: (world: World) => Promise<void>): Promise<void> {
  await withFolder({}, async (cwd) => {
    const upstream = await UpstreamRepository.create(path.join(cwd, 'up'));
    const folder = path.join(cwd, 'data/game');
    const hook = await receiveNotices();
    const game = {
      title: 'Game',
      source: { git: upstream.address, build: { subject: '^Update (\\S+)' }, settle_minutes: 0, ...source },
      tables: { units: 'units.json', gear: { files: 'gear.json', optional: true } },
      roster: { from: 'units', entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" },
      datasets: {
        pull_planner: "{'currency': 'Gem'}",
        gear: { from: 'gear', where: '$exists(id)', entry: "{'id': id, 'name': name, 'power': power}" },
      },
    };
    await writeFiles(folder, { 'game.json': game });
    const env = { GAMEDATA_WEBHOOK_SECRET: NOTICE_SECRET };
    const run = (on: number, ...args: string[]) =>
      runInProcess('gamedata', args, { cwd, env, now: Date.parse(day(on)) });
    const manifest = async (): Promise<Manifest | undefined> => {
      const read = async (file: string) => JSON.parse(await readFile(path.join(cwd, 'dist', file), 'utf8'));
      const index = await read('index.json').catch(() => ({ games: [] }));
      const found = index.games.find(({ slug }: { slug: string }) => slug === 'game');
      return found && (await read(found.manifest.file));
    };
    await use({
      cwd,
      folder,
      upstream,
      hook,
      run,
      manifest,
      commit: (build, on, files = {}) =>
        upstream.commit(`Update ${build}`, day(on), { 'units.json': units(), ...files }),
      async round(on, ...args) {
        const before = hook.received.length;
        const options = ['--build', '--allow-local', '--webhook', hook.address];
        const outcome = await run(on, 'pull', ...options, ...args);
        const reports = hook.received.slice(before) as unknown as PullReport[];
        return { ...outcome, told: reports.flatMap(({ data }) => data.new) };
      },
      state: async () =>
        JSON.parse(await readFile(path.join(folder, 'held.json'), 'utf8').catch(() => '{"builds": {}}')),
      served: async () => (await manifest())?.builds.map(({ build }) => build) ?? [],
      async newest(list = 'characters') {
        const file = (await manifest())?.builds.at(-1)?.snapshot.gzip.file ?? '';
        const bytes = await readFile(path.join(cwd, 'dist', file));
        const { characters, datasets } = JSON.parse(gunzipSync(bytes).toString()) as Snapshot;
        return list === 'characters' ? characters : (datasets[list] as JsonObject[]);
      },
      async edit(change) {
        change(game as unknown as JsonObject);
        await writeFiles(folder, { 'game.json': game });
      },
      reports: () => hook.received as unknown as PullReport[],
    });
  });
}

/** Removes files of the work tree. */
export async function removeUpstream({ upstream }: World, ...files: string[]): Promise<void> {
  for (const file of files) await rm(path.join(upstream.folder, file), { recursive: true });
}

/** Makes the function that adds a scenario to a suite: rounds of a world with 1.0 of day 1, which is served. @param source members of `source` in game.json */
export function scenariosOf(test: (title: string, play: () => Promise<void>) => void) {
  return (title: string, source: JsonObject, play: (world: World) => Promise<void>): void =>
    test(title, () =>
      withWorld(source, async (world) => {
        await world.commit('1.0', 1, { 'gear.json': gear(), 'date.json': { date: day(1) } });
        const first = await world.round(2);
        assert.is(first.code, 0, first.stdout + first.stderr);
        await play(world);
      }),
    );
}

/** The exit code, the kinds of what is told, and the builds that are served. */
export async function see(world: World, on: number, ...args: string[]) {
  const { code, told, stderr, stdout } = await world.round(on, ...args);
  return {
    code,
    told,
    kinds: told.map(({ kind }) => kind),
    texts: told.map(({ text, remedy }) => `${text}; ${remedy}`).join('\n'),
    stderr,
    stdout,
    served: await world.served(),
  };
}
