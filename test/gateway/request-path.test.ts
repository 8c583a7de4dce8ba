import { Session } from 'node:inspector/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tier } from '../../gateway/core/plans/account.ts';
import { readPage } from '../support/docs/pages.ts';
import { startGateway, type TestGateway } from '../support/harness.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import { until } from '../support/until.ts';

interface Recorded {
  always: string[];
  ever: Set<string>;
}

const test = suite<{ gateway: TestGateway; recorded: Record<Tier, Recorded> }>('the way of a request');

test.before(async (context) => {
  const gateway = await startGateway(SAMPLE_GAMES);
  // What looks for newer data now and then is not a part of requests.
  gateway.follower.close();
  await gateway.follower.look();
  const recorded = { free: await recordFiles(gateway, 'free'), pro: await recordFiles(gateway, 'pro') };
  Object.assign(context, { gateway, recorded });
});
test.after(({ gateway }) => gateway.stop());

/** How often the request is sent: some files run only now and then, such as one that reads a key again. */
const ROUNDS = 8;

/** In how many files requests may run whose responses are not in memory, by tier. Lower them when you can: the aims are 35 and 30. */
const MAX_FILES: Readonly<Record<Tier, number>> = { free: 37, pro: 35 };

/** How many requests were sent: each has an address of its own, so that no response is in memory. */
let sent = 0;

/** The source files of the gateway of which a function ran since the last call. */
async function takeFiles(session: Session): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  );
  return new Set(ran.flatMap(({ url }) => /\/build\/(gateway\/.*)\.js$/.exec(url)?.[1] ?? []));
}

/** Records which files run for requests of a key whose responses are not in memory: in every round, and in any. */
async function recordFiles({ keys, address, logged }: TestGateway, tier: Tier): Promise<Recorded> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const rounds: Set<string>[] = [];
    while (rounds.length < ROUNDS) {
      await takeFiles(session);
      const lines = logged.length;
      const target = `${address}/api/star-rail/characters?element=Pyro&limit=${++sent}`;
      const response = await fetch(target, { headers: { 'x-api-key': keys[tier] } });
      await response.text();
      assert.is(response.status, 200);
      // The line of the access log is written after the response.
      await until(() => logged.length > lines);
      rounds.push(await takeFiles(session));
    }
    const ever = new Set(rounds.flatMap((files) => [...files]));
    return { always: [...ever].filter((file) => rounds.every((files) => files.has(file))), ever };
  } finally {
    session.disconnect();
  }
}

/** Reads the files that the page lists below `GET …`: a folder at the beginning of each line, and names in it. */
async function listedFiles(): Promise<string[]> {
  const page = await readPage('docs/ARCHITECTURE.md');
  const [, block = ''] = /```text files\n([\s\S]*?)```/.exec(page) ?? [];
  return block
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [folder, ...names] = line.trim().split(/\s+/);
      return names.map((name) => `gateway/${folder}/${name}`.replace('/./', '/'));
    })
    .sort();
}

test('docs/ARCHITECTURE.md lists all files that run for a request, and no other', async ({ recorded }) => {
  const [listed, { always, ever }] = [await listedFiles(), recorded.free];
  assert.equal(
    always.filter((file) => !listed.includes(file)),
    [],
    'run for every request, but are not listed',
  );
  assert.equal(
    listed.filter((file) => !ever.has(file)),
    [],
    'are listed, but do not run',
  );
});

test('a request that was not seen before runs in few files', ({ recorded }) => {
  for (const tier of ['free', 'pro'] as const) {
    const count = recorded[tier].always.length;
    assert.ok(count <= MAX_FILES[tier], `${count} files for ${tier}`);
  }
});

test.run();
