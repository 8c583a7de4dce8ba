import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../../support/command.ts';
import { startFileServer } from '../../support/file-server.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROOT } from '../../support/paths.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { findProgram, type Program, withPrograms } from '../../support/skip.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

interface Context {
  /** A folder with the package as it is published, as far as the client needs it. */
  folder: string;
  gateway: TestGateway;
}

const MAX_BYTES = 5000;
const PACK = path.join(ROOT, 'gateway/client/pack-client.mjs');
const TSC = path.join(ROOT, 'node_modules/.bin/tsc');
const NAME = 'game-data-read-api-client';
const CLIENT = `node_modules/${NAME}`;
const OPTIONS = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] },
    ...{ lib: ['es2023', 'dom'], skipLibCheck: false },
  },
};

const client = suite<Context>('the package of the client');
client.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
  context.folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  const env = { GITHUB_SERVER_URL: 'https://git.example.org', GITHUB_REPOSITORY: 'ada/api' };
  const packing = startProcess(process.execPath, [PACK, '--silent'], { cwd: context.folder, env });
  assert.is((await packing.ended).code, 0);
  await writeFile(path.join(context.folder, 'package.json'), '{"type":"module"}');
  const tarball = (await readdir(context.folder)).find((file) => file.endsWith('.tgz')) ?? '';
  const words = ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`];
  const { code, stderr } = await startProcess('npm', words, { cwd: context.folder }).ended;
  assert.is(code, 0, stderr);
});
client.after(async ({ gateway, folder }) => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

client(`is less than ${MAX_BYTES} bytes, compressed, and imports nothing`, async ({ folder }) => {
  const files = (await readdir(path.join(folder, CLIENT))).filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, CLIENT, file), 'utf8')));
  const { length } = gzipSync(texts.join(''));
  assert.ok(length < MAX_BYTES, `${length} bytes`);
  const imported = texts.flatMap((text) => [...text.matchAll(/from '([^']*)'/g)].map(([, name]) => name));
  assert.equal(imported, []);
  assert.equal(await readdir(path.join(folder, 'node_modules')), ['.bin', '.package-lock.json', NAME]);
  const versionIn = async (file: string) =>
    (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
  assert.is(
    await versionIn(path.join(folder, CLIENT, 'package.json')),
    await versionIn(path.join(ROOT, 'package.json')),
  );
});

client(
  'is what the workflow of a release publishes, from the repository that it runs in',
  async ({ folder }) => {
    const workflow = await readFile(path.join(ROOT, '.github/workflows/package.yml'), 'utf8');
    const [, publish = ''] = /- run: (npm publish .*client.*)/.exec(workflow) ?? [];
    assert.match(publish, ' --provenance ');
    const words = ['-c', `${publish.replace(' --provenance', '')} --dry-run --offline`];
    const { code, stdout, stderr } = await startProcess('sh', words, { cwd: folder }).ended;
    assert.is(code, 0, stderr);
    assert.match(stdout, `+ ${NAME}@`);
    const { repository } = JSON.parse(await readFile(path.join(folder, CLIENT, 'package.json'), 'utf8'));
    assert.equal(repository, { type: 'git', url: 'git+https://git.example.org/ada/api.git' });
  },
);

/** Compiles a program. @returns the errors */
async function compile(folder: string, program: string): Promise<string> {
  await writeFile(path.join(folder, 'program.ts'), program);
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ ...OPTIONS, files: ['program.ts'] }));
  return (await startProcess(TSC, ['-p', folder], { cwd: folder }).ended).stdout;
}

const PROGRAM = `import { createClient } from 'game-data-read-api-client';
import type { Saga } from './saga.js';
const saga = createClient<{ saga: Saga }>({ address: 'http://127.0.0.1', key: 'k' }).game('saga');
for await (const { stats } of saga.each('characters', { element: ['fire'], 'stats.atk[gte]': 4, sort: '-rarity' })) {
  stats?.atk.toFixed(1);
}
const { records } = await saga.page('timeline', { 'year[lt]': 4, limit: 1 });
export const years: (number | undefined)[] = records.map(({ year }) => year);
export const cost: number = (await saga.object('pull_planner')).cost;
export const name: string | undefined = (await saga.page('characters', { fields: ['name'] })).records[0]?.name;
`;
const WRONG: [text: string, instead: string][] = [
  ["['fire']", "['water']"],
  ["'stats.atk[gte]': 4", "'element[gte]': 4"],
  ["'stats.atk[gte]'", "'stats.attack[gte]'"],
  ["sort: '-rarity'", "sort: '-power'"],
  ['atk.toFixed', 'attack.toFixed'],
  ["'timeline'", "'timelines'"],
  ["object('pull_planner')", "object('timeline')"],
  ['export const name: string | undefined', 'export const name: string'],
];

client(
  'checks programs by the types of a game, which the gateway has as gamedata types prints them',
  async ({ gateway, folder }) => {
    const { stdout } = await runInProcess('gamedata', ['types', 'saga', '--from', gateway.address]);
    await writeFile(
      path.join(folder, 'saga.d.ts'),
      (await gateway.ask('/types/saga.d.ts', { key: null })).text,
    );
    assert.is(await readFile(path.join(folder, 'saga.d.ts'), 'utf8'), stdout);
    const command = path.join(folder, 'node_modules/.bin', NAME);
    const print = (...words: string[]) => startProcess(command, ['types', ...words]).ended;
    const printed = await print('--url', gateway.address, '--game', 'saga');
    assert.equal([printed.code, printed.stdout], [0, stdout], printed.stderr);
    for (const [words, code, message] of [
      [['--url', gateway.address, '--game', 'saaga'], 1, 'did you mean "saga"'],
      [['--url', `${gateway.address}/docs/`, '--game', 'saga'], 1, 'docs/types/saga.d.ts'],
      [
        ['--url', 'http://127.0.0.1:1', '--game', 'saga'],
        1,
        'cannot reach http://127.0.0.1:1/types/saga.d.ts',
      ],
      [['--game', 'saga'], 2, '--url is "", expected the address of a gateway'],
      [['--url', gateway.address, '--gmae', 'saga'], 2, "Unknown option '--gmae'"],
    ] as const) {
      const refused = await print(...words);
      assert.equal([refused.code, refused.stdout], [code, ''], words.join(' '));
      assert.match(refused.stderr, message);
    }
    assert.is(await compile(folder, PROGRAM), '');
    // One program with all mistakes: a line of its own for each.
    for (const [text] of WRONG) assert.ok(PROGRAM.includes(text), text);
    const programs = WRONG.map(([text, instead], index) => {
      const body = PROGRAM.split('\n').slice(3).join('\n').replace(text, instead).replaceAll('export ', '');
      return `async function mistake${index}() {\n${body}\nreturn [years, cost, name];\n}\n`;
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
  },
);

withPrograms(client, 'chromium')('runs in a browser', async ({ gateway, folder }) => {
  const server = await startFileServer(path.join(folder, CLIENT));
  const executablePath = findProgram('chromium') as string;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.address}/client.js`);
    const options = JSON.stringify({ address: gateway.address, key: gateway.keys.pro });
    // A text: compiled, it would use what only the compiled module has.
    const names = await page.evaluate(`(async () => {
      const { createClient } = await import('/client.js');
      const saga = createClient(${options}).game('saga');
      const read = [];
      for (const _ of 'ab') {
        for await (const { name } of saga.each('characters', { element: 'fire', limit: 1 })) read.push(name);
      }
      const { code } = await saga.record('characters', 'x').catch((error) => error);
      return [...read, code];
    })()`);
    assert.equal(names, ['Ann', 'Ann', 'unknown-character']);
  } finally {
    await browser.close();
    await server.stop();
  }
});

const RUNTIMES: [Program | 'node', string[]][] = [
  ['node', []],
  ['deno', ['run', '--node-modules-dir=manual', '--allow-net', '--allow-read']],
  ['bun', ['run']],
];
for (const [program, words] of RUNTIMES) {
  const register = program === 'node' ? client : withPrograms(client, program);
  register(`runs in ${program}`, async ({ gateway, folder }) => {
    const options = JSON.stringify({ address: gateway.address, key: gateway.keys.pro });
    await writeFile(
      path.join(folder, 'runtime.mjs'),
      `import { createClient, verifyWebhook } from 'game-data-read-api-client';
const saga = createClient(${options}).game('saga');
const read = [];
for (const _ of 'ab') {
  for await (const { name } of saga.each('characters', { element: 'fire', limit: 1 })) read.push(name);
}
read.push(await saga.record('characters', 'x').catch(({ code }) => code));
const headers = { 'webhook-id': 'e', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,eA==' };
read.push(await verifyWebhook({ secret: 'whsec_c2VjcmV0', headers, body: '{}' }).catch(({ message }) => message));
console.log(JSON.stringify(read));
`,
    );
    const run = startProcess(findProgram(program as Program) ?? process.execPath, [...words, 'runtime.mjs'], {
      cwd: folder,
    });
    const { code, stdout, stderr } = await run.ended;
    assert.is(code, 0, stderr);
    assert.equal(JSON.parse(stdout), [
      'Ann',
      'Ann',
      'unknown-character',
      'the signature of the webhook is wrong',
    ]);
  });
}

client.run();
