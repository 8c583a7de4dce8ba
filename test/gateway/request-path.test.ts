import { Session } from 'node:inspector/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPage } from '../support/docs/pages.ts';
import { startGateway, type TestGateway } from '../support/harness.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';

const test = suite<{ gateway: TestGateway }>('the way of a request');

test.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});
test.after(({ gateway }) => gateway.stop());

/** How often the request is sent: some files run only now and then, such as one that reads a key again. */
const ROUNDS = 8;

/** The source files of the gateway of which a function ran since the last call. */
async function takeFiles(session: Session): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  );
  return new Set(ran.flatMap(({ url }) => /\/build\/(gateway\/.*)\.js$/.exec(url)?.[1] ?? []));
}

/** Records which files run for requests of a free key whose responses are not in memory: in every round, and in any. */
async function recordFiles({ keys, address }: TestGateway): Promise<{ always: string[]; ever: Set<string> }> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const rounds: Set<string>[] = [];
    while (rounds.length < ROUNDS) {
      await takeFiles(session);
      const target = `${address}/api/star-rail/characters?element=Pyro&limit=${rounds.length + 1}`;
      const response = await fetch(target, { headers: { 'x-api-key': keys.free } });
      await response.text();
      assert.is(response.status, 200);
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

test('docs/ARCHITECTURE.md lists all files that run for a request, and no other', async ({ gateway }) => {
  const [listed, { always, ever }] = [await listedFiles(), await recordFiles(gateway)];
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

test.run();
