import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../../support/command.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { ROOT } from '../../support/paths.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';

interface Context {
  gateway: TestGateway;
  /** A folder with the installed package in `site/`. */
  folder: string;
  python: string;
}

const SOURCE = path.join(ROOT, 'gateway/client/python');
const EXAMPLES = path.join(ROOT, 'docs/examples');

/** Finds a Python that has the modules; that of Debian too, which another one may hide. */
async function findPython(modules: string): Promise<string | undefined> {
  for (const python of ['python3', '/usr/bin/python3']) {
    const tried = await startProcess(python, ['-c', `import ${modules}`]).ended.catch(() => undefined);
    if (tried?.code === 0) return python;
  }
  return undefined;
}

const builder = await findPython('setuptools, pip, wheel');
const notebooks = await findPython('nbconvert, ipykernel, matplotlib, pandas');

const test = suite<Context>('the Python package of the client');
test.before(async (context) => {
  if (!builder) return;
  context.python = builder;
  context.gateway = await startGateway(TYPED_GAMES);
  context.folder = await mkdtemp(path.join(tmpdir(), 'python-'));
  await cp(SOURCE, path.join(context.folder, 'source'), { recursive: true });
  const wheel = ['wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', '.', './source'];
  const built = await startProcess(builder, ['-m', 'pip', ...wheel], { cwd: context.folder }).ended;
  assert.is(built.code, 0, built.stderr);
  const file = (await readdir(context.folder)).find((name) => name.endsWith('.whl')) ?? '';
  const install = ['install', '--no-index', '--no-deps', '--target', 'site', file];
  const installed = await startProcess(builder, ['-m', 'pip', ...install], { cwd: context.folder }).ended;
  assert.is(installed.code, 0, installed.stderr);
});
test.after(async ({ gateway, folder }) => {
  if (!builder) return;
  await gateway.stop();
  await rm(folder, { recursive: true });
});

/** Registers a test that needs a Python with modules. */
function testWith(
  python: string | undefined,
  modules: string,
  name: string,
  run: (context: Context) => Promise<void>,
) {
  if (builder && python) return test(name, run);
  process.stdout.write(`skipped without python3 with ${modules}: ${name}\n`);
  return test.skip(name, run);
}

/** Runs a program with the package, and returns what it prints as JSON. */
async function runPython(
  { folder, python }: Context,
  program: string,
  words: readonly string[],
): Promise<unknown> {
  await writeFile(
    path.join(folder, 'program.py'),
    `import json, sys\nfrom game_data_read_api_client import Client, Problem\n${program}`,
  );
  const run = startProcess(python, ['program.py', ...words], { cwd: folder, env: { PYTHONPATH: 'site' } });
  const { code, stdout, stderr } = await run.ended;
  assert.is(code, 0, stderr);
  return JSON.parse(stdout);
}

testWith(
  builder,
  'setuptools',
  'has types, the version of the product and syntax of Python 3.9',
  async (context) => {
    const files = await readdir(path.join(context.folder, 'site/game_data_read_api_client'));
    assert.ok(files.includes('py.typed'));
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.match(await readFile(path.join(SOURCE, 'pyproject.toml'), 'utf8'), `version = "${version}"`);
    const parsed = await runPython(
      context,
      `import ast, game_data_read_api_client as made
ast.parse(open(made.__file__).read(), feature_version=(3, 9))
print(json.dumps(sorted(made.__all__)))`,
      [],
    );
    assert.equal(parsed, ['BuildChangedError', 'Client', 'Game', 'Problem']);
  },
);

testWith(builder, 'setuptools', 'pages, filters, reads records and names errors', async (context) => {
  const { address, keys } = context.gateway;
  const printed = await runPython(
    context,
    `saga = Client(sys.argv[1], sys.argv[2]).game("saga")
try:
    saga.page("characters", {"element": "fyre"})
except Problem as problem:
    code = [problem.status, problem.code, problem.problem["parameter"]]
print(json.dumps([
    [each["name"] for each in saga.each("characters", {"limit": 1, "sort": "-name"})],
    saga.page("characters", {"element": ["fire", "ice"], "stats.atk[gte]": 4, "limited[exists]": True, "fields": ["name"]})["records"],
    saga.record("characters", "ann")["skills"][0]["cost"],
    saga.object("pull_planner")["cost"],
    saga.compare(["bob", "ann"])["ids"],
    code,
]))`,
    [address, keys.pro],
  );
  assert.equal(printed, [
    ['Secret', 'Bob', 'Ann'],
    [{ id: 'ann', name: 'Ann' }],
    1,
    160,
    ['bob', 'ann'],
    [400, 'invalid-parameter', 'element'],
  ]);
});

testWith(
  builder,
  'setuptools',
  'keeps responses on disk, which cost nothing while they do not change',
  async (context) => {
    const key = await issueKey(context.gateway.store, 'free', 'python@example.org');
    const program = `game = Client(sys.argv[1], sys.argv[2], cache="kept", max_wait=1).game("saga")
print(json.dumps([game.record("characters", "ann")["name"] for _ in range(15)]))`;
    for (let run = 0; run < 2; run++)
      assert.equal(await runPython(context, program, [context.gateway.address, key]), Array(15).fill('Ann'));
    const me = (await context.gateway.ask('/api/me', { key })).json<{
      usage: { minute: { used: number } };
    }>();
    assert.is(me.usage.minute.used, 1);
    const refused = `game = Client(sys.argv[1], sys.argv[2], max_wait=1).game("saga")
try:
    for _ in range(20): game.record("characters", "ann")
except Problem as problem:
    print(json.dumps([problem.code, problem.retry_after > 1]))`;
    assert.equal(await runPython(context, refused, [context.gateway.address, key]), ['quota-exceeded', true]);
  },
);

testWith(
  builder,
  'setuptools',
  'tries again after as long as a readable Retry-After says',
  async (context) => {
    const given = ['7', 'Wed, 99 Foo', '', '²'];
    const server = createServer((_request, response) => {
      const next = given.shift();
      if (next === undefined) response.end('{"total":1}');
      else response.writeHead(503, next === '' ? {} : { 'Retry-After': next }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const program = `import time
waits = []
time.sleep = waits.append
print(json.dumps([Client(sys.argv[1], retries=4).get("/api/games"), waits]))`;
    const { port } = server.address() as AddressInfo;
    const printed = await runPython(context, program, [`http://127.0.0.1:${port}`]);
    server.close();
    assert.equal(printed, [{ total: 1 }, [7, 2, 4, 8]]);
  },
);

testWith(
  builder,
  'setuptools',
  'follows no redirect, so that the key stays with the gateway',
  async (context) => {
    const requests: string[] = [];
    const other = createServer((request, response) => {
      requests.push(String(request.headers['x-api-key']));
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/api/me`;
    const redirecting = createServer((_, response) => {
      response.writeHead(302, { location: target }).end();
    }).listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    const program = `try:
    Client(sys.argv[1], "secret").get("/api/me")
    print(json.dumps([]))
except Problem as problem:
    print(json.dumps([problem.status, str(problem)]))`;
    const { port } = redirecting.address() as AddressInfo;
    const printed = (await runPython(context, program, [`http://127.0.0.1:${port}`])) as [number, string];
    other.close();
    redirecting.close();
    assert.equal(requests, []);
    assert.is(printed[0], 302);
    assert.match(printed[1], `redirects to ${target}, and the key is not sent there`);
  },
);

testWith(
  notebooks,
  'Jupyter, matplotlib and pandas',
  'plots in a notebook and in the same script, and makes data frames',
  async (context) => {
    const { folder, gateway } = context;
    const python = notebooks as string;
    const env = {
      ...{
        PYTHONPATH: path.join(folder, 'site'),
        ADDRESS: gateway.address,
        API_KEY: gateway.keys.pro,
        GAME: 'saga',
      },
      ...{ CACHE: path.join(folder, 'cache'), MPLCONFIGDIR: folder, HOME: folder },
    };
    for (const name of await readdir(EXAMPLES))
      if (/stats-over|make-note/.test(name)) await cp(path.join(EXAMPLES, name), path.join(folder, name));
    const before = await readFile(path.join(folder, 'stats-over-builds.ipynb'), 'utf8');
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await startProcess(python, words, { cwd: folder, env }).ended;
      assert.is(code, 0, stderr);
      return stdout;
    };
    await run('make-notebook.py');
    assert.is(
      await readFile(path.join(folder, 'stats-over-builds.ipynb'), 'utf8'),
      before,
      'make-notebook.py was not run',
    );
    assert.match(await run('stats-over-builds.py'), /^Ann \[\('1\.0', 10\.5\), \('1\.1', 10\.5\)\]/);
    await rm(path.join(folder, 'stats-over-builds.png'));
    const printed = await run(
      '-m',
      'nbconvert',
      '--to',
      'notebook',
      '--execute',
      '--stdout',
      'stats-over-builds.ipynb',
    );
    assert.match(printed, "Ann [('1.0', 10.5), ('1.1', 10.5)]");
    assert.ok((await readdir(folder)).includes('stats-over-builds.png'));
    context.python = python;
    const frame = `frame = Client(sys.argv[1], sys.argv[2]).game("saga").to_pandas("characters", {"sort": "name"})
print(json.dumps([list(frame.index), float(frame["stats.atk"].max())]))`;
    assert.equal(await runPython(context, frame, [gateway.address, gateway.keys.pro]), [
      ['ann', 'bob', 'secret'],
      10.5,
    ]);
  },
);

test.run();
