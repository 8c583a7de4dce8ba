import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../../support/command.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROOT } from '../../support/paths.ts';
import { findProgram, withPrograms } from '../../support/skip.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

interface Context {
  /** A folder with the package as it is published, as far as the client needs it. */
  folder: string;
  gateway: TestGateway;
}

const TSC = path.join(ROOT, 'node_modules/.bin/tsc');
const NAME = 'game-data-read-api-client';
const CLIENT = `node_modules/${NAME}`;
const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: [],
    lib: ['es2023', 'dom'],
    skipLibCheck: false,
  },
};

const client = suite<Context>('the package of the client');
client.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
  context.folder = await makeFolder('client');
  const pack = ['run', '--silent', 'pack:client', '--', '--pack-destination', context.folder];
  assert.is((await startProcess('npm', pack, { cwd: ROOT }).ended).code, 0);
  await writeFile(path.join(context.folder, 'package.json'), '{"type":"module"}');
  const tarball = (await readdir(context.folder)).find((file) => file.endsWith('.tgz')) ?? '';
  const unpacked = path.join(context.folder, CLIENT);
  await mkdir(unpacked, { recursive: true });
  const words = ['-xzf', tarball, '-C', unpacked, '--strip-components=1'];
  assert.is((await startProcess('tar', words, { cwd: context.folder }).ended).code, 0);
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    await symlink(path.join(ROOT, 'node_modules', name), path.join(context.folder, 'node_modules', name));
});

client('has the version of the product', async ({ folder }) => {
  const versionIn = async (file: string) =>
    (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
  const own = await versionIn(path.join(folder, CLIENT, 'package.json'));
  assert.is(own, await versionIn(path.join(ROOT, 'package.json')));
});

client('is what the workflow of a release publishes', async ({ folder }) => {
  const workflow = await readFile(path.join(ROOT, '.github/workflows/package.yml'), 'utf8');
  const [, publish = ''] = /- run: (npm publish .*client.*)/.exec(workflow) ?? [];
  assert.match(publish, ' --provenance ');
  const words = ['-c', `${publish.replace(' --provenance', '')} --dry-run --offline`];
  const { code, stdout, stderr } = await startProcess('sh', words, { cwd: folder }).ended;
  assert.is(code, 0, stderr);
  assert.match(stdout, `+ ${NAME}@`);
});

/** Compiles a program. @returns the errors */
async function compile(folder: string, program: string): Promise<string> {
  await writeFile(path.join(folder, 'program.ts'), program);
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ ...OPTIONS, files: ['program.ts'] }));
  return (await startProcess(TSC, ['-p', folder], { cwd: folder }).ended).stdout;
}

const PROGRAM = `import { createClient, type GamePaths } from 'game-data-read-api-client';
import type { Saga } from './saga.js';
const saga = createClient<GamePaths<'saga', Saga>>({ baseUrl: 'http://127.0.0.1', key: 'k' });
for await (const { stats } of saga.each('/api/saga/characters', { element: ['fire'], 'stats.atk[gte]': 4, sort: '-rarity', lang: 'ja' })) {
  stats?.atk.toFixed(1);
}
const { data } = await saga.GET('/api/saga/timeline', { params: { query: { 'year[lt]': 4, limit: 1 } } });
export const years: (number | undefined)[] | undefined = data?.records.map(({ year }) => year);
const planner = await saga.GET('/api/saga/pull_planner');
export const cost: number | undefined = planner.data?.data.cost;
`;
const WRONG: [text: string, instead: string][] = [
  ["['fire']", "['water']"],
  ["'stats.atk[gte]': 4", "'element[gte]': 4"],
  ["'stats.atk[gte]'", "'stats.attack[gte]'"],
  ["sort: '-rarity'", "sort: '-power'"],
  ['atk.toFixed', 'attack.toFixed'],
  ['saga/timeline', 'saga/timelines'],
  ['data.cost', 'data.price'],
];

client('checks programs by the types of a game, which the gateway has', async ({ gateway, folder }) => {
  await writeFile(
    path.join(folder, 'saga.d.ts'),
    (await gateway.ask('/types/saga.d.ts', { key: null })).text,
  );
  assert.is(await compile(folder, PROGRAM), '');
  // One program with all mistakes: a line of its own for each.
  for (const [text] of WRONG) assert.ok(PROGRAM.includes(text), text);
  const programs = WRONG.map(([text, instead], index) => {
    const body = PROGRAM.split('\n').slice(3).join('\n').replace(text, instead).replaceAll('export ', '');
    return `async function mistake${index}() {\n${body}\nreturn [years, cost];\n}\n`;
  });
  const head = PROGRAM.split('\n').slice(0, 3).join('\n');
  const errors = await compile(
    folder,
    `${head}\n${programs.join('')}export { ${WRONG.map((_, index) => `mistake${index}`).join()} };`,
  );
  const lines = new Set([...errors.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => Number(line)));
  const size = (programs[0] ?? '').split('\n').length - 1;
  const found = new Set([...lines].map((line) => Math.floor((line - 4) / size)));
  assert.equal(
    [...found].sort(),
    WRONG.map((_, index) => index),
    errors,
  );
});

withPrograms(client, 'chromium')('runs in a browser, from the gateway', async ({ gateway }) => {
  const executablePath = findProgram('chromium') as string;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${gateway.address}/client.js`);
    const options = JSON.stringify({ baseUrl: gateway.address, key: gateway.keys.pro });
    // A text: compiled, it would use what only the compiled module has.
    const names = await page.evaluate(`(async () => {
      const { createClient } = await import('/client.js');
      ${readWith(options)}
      return read;
    })()`);
    assert.equal(names, ['Ann', 'unknown-character']);
  } finally {
    await browser.close();
  }
});

function readWith(options: string): string {
  return `const saga = createClient(${options});
const read = [];
for await (const { name } of saga.each('/api/saga/characters', { element: 'fire', limit: 1 })) read.push(name);
read.push((await saga.GET('/api/saga/characters/x')).error.code);`;
}

client('runs in node', async ({ gateway, folder }) => {
  const options = JSON.stringify({ baseUrl: gateway.address, key: gateway.keys.pro });
  await writeFile(
    path.join(folder, 'runtime.mjs'),
    `import { createClient } from 'game-data-read-api-client';\n${readWith(options)}\nconsole.log(JSON.stringify(read));`,
  );
  const { code, stdout, stderr } = await startProcess(process.execPath, ['runtime.mjs'], { cwd: folder })
    .ended;
  assert.is(code, 0, stderr);
  assert.equal(JSON.parse(stdout), ['Ann', 'unknown-character']);
});

client.run();
