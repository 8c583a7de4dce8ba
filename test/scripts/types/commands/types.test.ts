import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { printTypes } from '../../../../scripts/types/types.ts';
import { NOON, startGateway, type TestGateway } from '../../../support/harness.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { TYPED_GAMES } from '../../../support/typed-games.ts';

const types = suite<{ gateway: TestGateway }>('gamedata types');
types.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
});

const run = (...args: string[]) => runInProcess('gamedata', ['types', ...args], { now: NOON });

types('prints the types of the newest build that is released', async ({ gateway }) => {
  const { code: exitCode, stdout, stderr } = await run('saga', '--out', gateway.dist);
  assert.is(exitCode, 0, stderr);
  assert.match(stdout, /^\/\/ Saga, build 1\.1: the types of its records/);
  assert.match(stdout, /whisper\?: string;/);
  assert.match(stdout, /\/\*\* The attack\. Unit: points\. Of level 90\. \*\/\n {4}atk: number;/);
  assert.match(stdout, /\/\*\* What it is made of\.[^\n]*\n {2}element: "air" \| "fire" \| "ice";/);
  const code = stdout.replace(/^ *\/\*\*.*\n/gm, '');
  assert.match(code, /skills: Array<\{\n {4}id: string;\n {4}name: string;\n {4}cost\?: number;/);
  assert.match(stdout, /"stats\.atk": number;/);
  assert.match(stdout, /timeline: \{ record: TimelineRecord; facets: TimelineRecordFacets \};/);
  assert.match(stdout, /pull_planner: PullPlannerRecord;/);
});

types('name lists differently whose keys give one name', () => {
  const datasets = ['skill_1', 'skill1'].map((key) => ({ key, kind: 'list' as const }));
  const attributesOf = () => ({ records: 0, attributes: [] });
  const game = { slug: 'g', title: 'G', language: 'en', build: '1', roster: [], datasets, attributesOf };
  assert.match(printTypes(game), 'skill1: { record: Skill1Record_; facets: Skill1Record_Facets };');
});

types('say that there is no such game', async ({ gateway }) => {
  const { code, stdout, stderr } = await run('sage', '--out', gateway.dist);
  assert.equal([code, stdout], [1, ''], stderr);
  assert.match(stderr, /no game sage in .*: run gamedata build/);
});

types.run();
