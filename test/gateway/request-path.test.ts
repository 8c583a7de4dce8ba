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

/** What runs beside requests also runs now and then; in all of these rounds it does not. */
const ROUNDS = 8;

/** The source files of the gateway of which a function ran since the last call. */
async function takeFiles(session: Session): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  );
  return new Set(ran.flatMap(({ url }) => /\/build\/(gateway\/.*)\.js$/.exec(url)?.[1] ?? []));
}

/** Records which files run for requests of a free key whose responses are not in memory. */
async function recordFiles({ keys, address }: TestGateway): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    let common: Set<string> | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      await takeFiles(session);
      const target = `${address}/api/star-rail/characters?element=Pyro&limit=${round + 1}`;
      const response = await fetch(target, { headers: { 'x-api-key': keys.free } });
      await response.text();
      assert.is(response.status, 200);
      const ran = await takeFiles(session);
      common = common === undefined ? ran : new Set([...common].filter((file) => ran.has(file)));
    }
    return [...(common ?? [])].sort();
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
  assert.equal(await listedFiles(), await recordFiles(gateway));
});

test.run();
