import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Json, JsonObject, Manifest } from '../../../scripts/format/dist-format.ts';
import type { Item, PullReport } from '../../../scripts/upstream/pull/report.ts';
import type { State } from '../../../scripts/upstream/pull/state.ts';
import { type Files, withFolder, writeFiles } from '../../support/fixtures.ts';
import { NOTICE_SECRET, receiveNotices } from './receive-notices.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';

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
  /** The names of the builds in dist/, and a hit point or number of gear of the newest one. */
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
        gear: { from: 'gear', entry: "{'id': id, 'name': name, 'power': power}" },
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
    try {
      await use({
        ...{ cwd, folder, upstream, hook, run },
        commit: (build, on, files = {}) =>
          upstream.commit(`Update ${build}`, day(on), { 'units.json': units(), ...files }),
        async round(on, ...args) {
          const before = hook.received.length;
          const options = ['--build', '--allow-local', '--webhook', hook.address, '--report-after', '1s'];
          const outcome = await run(on, 'pull', ...options, ...args);
          const reports = hook.received.slice(before) as unknown as PullReport[];
          return { ...outcome, told: reports.flatMap(({ data }) => data.new) };
        },
        state: async () =>
          JSON.parse(await readFile(path.join(folder, 'held.json'), 'utf8').catch(() => '{"builds": {}}')),
        served: async () => (await manifest())?.builds.map(({ build }) => build) ?? [],
        async newest(list = 'characters') {
          const build = (await manifest())?.builds.at(-1)?.build;
          const printed = await run(
            100,
            'try',
            'game',
            '--mapped',
            list,
            '--limit',
            '1000',
            '--build',
            build ?? '',
            '--coverage',
            'none',
            '--allow-local',
          );
          return Object.values(JSON.parse(printed.stdout));
        },
        async edit(change) {
          change(game as unknown as JsonObject);
          await writeFiles(folder, { 'game.json': game });
        },
        reports: () => hook.received as unknown as PullReport[],
      });
    } finally {
      hook.close();
    }
  });
}

/** Removes files of the work tree. */
export async function removeUpstream({ upstream }: World, ...files: string[]): Promise<void> {
  for (const file of files) await rm(path.join(upstream.folder, file), { recursive: true });
}
