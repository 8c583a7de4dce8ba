import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { type Running, startCommand } from '../support/command.ts';
import { type Files, withFolder, writeFiles } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { UPSTREAM, withPrograms } from '../support/skip.ts';
import { startSwift, type SwiftServer } from '../support/swift-server.ts';
import { until } from '../support/until.ts';
import { UpstreamRepository } from '../support/upstream-repository.ts';
import { startConsumer } from '../gateway/people/alerts/consumer.ts';

const trial = suite('patch day without hands');
const test = withPrograms(trial, 'git', 'swift-proxy-server');

const BUCKET = 'games';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const EMAIL = 'ada@example.org';
const BROKEN = 4;
/** A request every few milliseconds would cost more than all that is tested. */
const POLL_MS = 250;

/** The game, and its ten dumps, oldest first: those of a real game where they are present, else made ones. */
async function readDumps(
  source: JsonObject,
): Promise<{ game: string; dumps: { build: string; file: string; content: string }[] }> {
  const folder = path.join(UPSTREAM, 'dota2');
  const declared = JSON.stringify(source);
  if (!existsSync(folder)) return { game: makeGame(declared), dumps: makeDumps() };
  const definition = await readFile(path.join(ROOT, 'test/upstream/definitions/dota-2/game.json'), 'utf8');
  const game = definition
    .replace(/"source": \{.*?\}/s, () => `"source": ${declared}`)
    .replace('"datasets": {', `"datasets": { "pull_planner": "{'currency': 'Plus'}",`);
  const file = 'build/heroes.json';
  const reading = (await readdir(folder))
    .sort()
    .map(async (build) => ({ build, file, content: await readFile(path.join(folder, build, file), 'utf8') }));
  return { game, dumps: await Promise.all(reading) };
}

function makeGame(declared: string): string {
  return `{"title": "Made", "source": ${declared}, "tables": {"units": "units.json"},
    "roster": {"from": "units", "entry": "{'id': $key, 'name': name, 'stats': {'hp': hp}}"},
    "datasets": {"pull_planner": "{'currency': 'Gem'}"}}`;
}

function makeDumps() {
  return Array.from({ length: 10 }, (_, index) => {
    const units = Array.from({ length: 40 + index }, (_, unit) => [
      `u${unit}`,
      { name: `Unit ${unit}`, hp: 100 + unit + index },
    ]);
    return { build: `1.${index}`, file: 'units.json', content: JSON.stringify(Object.fromEntries(units)) };
  });
}

/** Most of the records are missing, as after a broken export. */
function breakDump(content: string): string {
  const rows = Object.entries(JSON.parse(content) as JsonObject);
  return JSON.stringify(Object.fromEntries(rows.slice(0, 20)));
}

/** A receiver of notices on this machine. */
async function receiveNotices(): Promise<{ address: string; builds: string[]; server: Server }> {
  const builds: string[] = [];
  const server = createServer(async (request, response) => {
    builds.push(JSON.parse(await text(request)).data.build);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, builds, server };
}

interface Followed {
  /** The newest build that the gateway serves. */
  served(): Promise<string | undefined>;
  alerted(): string[];
}

/** Starts a gateway that follows the bucket, with a webhook that follows all games. */
async function followBucket(
  cwd: string,
  swift: SwiftServer,
  started: Running[],
  ends: (() => unknown)[],
): Promise<Followed> {
  const env = { ...swift.env, AWS_ENDPOINT_URL_S3: swift.endpoint };
  const run = async (...args: string[]) =>
    (await runInProcess('gateway', [...args, '--json'], { cwd })).stdout;
  const { key } = JSON.parse(await run('keys', 'issue', EMAIL, '--tier', 'pro')) as { key: string };
  const consumer = await startConsumer();
  ends.push(consumer.stop);
  await run('alerts', 'webhook', EMAIL, consumer.url, '--dev');
  await run('follows', 'add', EMAIL, 'all_games');
  const gateway = startCommand('gateway', ['serve', '--port', '0', '--dist', `s3://${BUCKET}/live`], {
    cwd,
    env,
  });
  started.push(gateway);
  const [, address = ''] = await gateway.printed(/"address":"(http:[^"]+)"/);
  return {
    alerted: () => consumer.posts.map(({ event }) => event.data.build),
    async served() {
      const response = await fetch(`${address}/api/games`, { headers: { 'x-api-key': key } });
      return ((await response.json()) as { games: { build: string }[] }).games[0]?.build;
    },
  };
}

const started: Running[] = [];
trial.after.each(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

test('ten dumps, one of them broken, are served as they are committed; the broken one is held back and reported once', async () => {
  await withFolder({}, async (cwd) => {
    const ends: (() => unknown)[] = [];
    try {
      const upstream = await UpstreamRepository.create(path.join(cwd, 'upstream'));
      const { game, dumps } = await readDumps({
        git: upstream.address,
        build: { subject: '^Patch (\\S+)$' },
      });
      await writeFiles(cwd, { 'data/game/game.json': game });
      const commit = async (index: number) => {
        const { build, file, content } = dumps[index] as (typeof dumps)[0];
        const files: Files = { [file]: index === BROKEN ? breakDump(content) : content };
        await upstream.commit(`Patch ${build}`, new Date(Date.UTC(2026, 0, 1 + index)).toISOString(), files);
        return build;
      };
      for (const index of [0, 1, 2]) await commit(index);
      const swift = await startSwift(BUCKET);
      ends.push(swift.remove);
      const notices = await receiveNotices();
      ends.push(() => notices.server.close());
      const env = { ...swift.env, AWS_ENDPOINT_URL_S3: swift.endpoint, GAMEDATA_WEBHOOK_SECRET: SECRET };
      const args = [
        '--watch',
        '--every',
        '5s',
        '--build',
        '--publish',
        `s3://${BUCKET}/live`,
        '--allow-local',
      ];
      const service = startCommand('gamedata', ['pull', ...args, '--webhook', notices.address], { cwd, env });
      started.push(service);
      await service.printed(/the index replaced/);
      const { served, alerted } = await followBucket(cwd, swift, started, ends);
      await until(async () => (await served()) === dumps[2]?.build, POLL_MS);

      const begun = performance.now();
      const fourth = await commit(3);
      await until(async () => (await served()) === fourth, POLL_MS);
      const servedAfter = performance.now() - begun;
      await until(() => alerted().includes(fourth));
      const alertedAfter = performance.now() - begun;
      process.stdout.write(
        `served ${(servedAfter / 1000).toFixed(1)} s after the commit, alerted ${((alertedAfter - servedAfter) / 1000).toFixed(1)} s later\n`,
      );

      const broken = await commit(BROKEN);
      await until(() => notices.builds.includes(broken));
      assert.is(await served(), fourth);
      const next = await commit(5);
      await until(async () => (await served()) === next, POLL_MS);
      for (const index of [6, 7, 8, 9]) await commit(index);
      await until(async () => (await served()) === dumps[9]?.build, POLL_MS);
      await until(() => alerted().includes(dumps[9]?.build ?? ''));

      assert.equal(notices.builds, [broken]);
      assert.not(alerted().includes(broken));
      const held = JSON.parse(await readFile(path.join(cwd, 'data/game/held.json'), 'utf8'));
      assert.equal(Object.keys(held.builds), [broken]);
      service.child.kill('SIGTERM');
      assert.is((await service.ended).code, 0);
    } finally {
      for (const end of ends.reverse()) await end();
    }
  });
});

trial.run();
