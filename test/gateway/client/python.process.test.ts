import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../../support/command.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROOT } from '../../support/paths.ts';
import { TYPED_GAMES } from '../../support/typed-games.ts';
import { listen } from '../../support/listen.ts';

interface Context {
  gateway: TestGateway;
  /** A folder with the installed package in `site/`. */
  folder: string;
}

const PYTHON = 'python3';
const NAME = 'game-data-read-api-client';
const SOURCE = path.join(ROOT, 'gateway/client/python');
const EXAMPLES = path.join(ROOT, 'docs/examples');

const test = suite<Context>('the Python package of the client');
test.before(async (context) => {
  context.gateway = await startGateway(TYPED_GAMES);
  context.folder = await makeFolder('python');
  // The source, which the package is without the files of pip: that is not installed everywhere.
  await cp(SOURCE, path.join(context.folder, 'site'), { recursive: true });
  const hasPip = await startProcess(PYTHON, ['-c', 'import setuptools, pip, wheel']).ended;
  if (hasPip.code !== 0) return;
  await rename(path.join(context.folder, 'site'), path.join(context.folder, 'source'));
  for (const words of [
    ['wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', 'wheels', './source'],
    ['install', '--no-index', '--no-deps', '--find-links', 'wheels', '--target', 'site', NAME],
  ]) {
    const { code, stderr } = await startProcess(PYTHON, ['-m', 'pip', ...words], { cwd: context.folder })
      .ended;
    assert.is(code, 0, stderr);
  }
});

/** Runs a program with the package, and returns what it prints as JSON. */
async function runPython({ folder }: Context, program: string, words: readonly string[]): Promise<unknown> {
  await writeFile(
    path.join(folder, 'program.py'),
    `import json, sys\nfrom game_data_read_api_client import Client, Problem\n${program}`,
  );
  const run = startProcess(PYTHON, ['program.py', ...words], { cwd: folder, env: { PYTHONPATH: 'site' } });
  const { code, stdout, stderr } = await run.ended;
  assert.is(code, 0, stderr);
  return JSON.parse(stdout);
}

test('has the version of the product and syntax of Python 3.9', async (context) => {
  const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  assert.match(await readFile(path.join(SOURCE, 'pyproject.toml'), 'utf8'), `version = "${version}"`);
  const program = `import ast, game_data_read_api_client as made
print(json.dumps(type(ast.parse(open(made.__file__).read(), feature_version=(3, 9))).__name__))`;
  assert.is(await runPython(context, program, []), 'Module');
});

test('pages, filters, reads records and names errors', async (context) => {
  const { address, keys } = context.gateway;
  const printed = await runPython(
    context,
    `client = Client(sys.argv[1], sys.argv[2])
query = {"element": ["fire", "ice"], "stats.atk[gte]": 4, "limited[exists]": True, "fields": ["name"]}
try:
    client.get("/api/saga/characters", {"element": "fyre"})
except Problem as problem:
    code = [problem.status, problem.code, problem.problem["parameter"]]
print(json.dumps([
    [each["name"] for each in client.each("/api/saga/characters", {"limit": 1, "sort": "-name"})],
    client.get("/api/saga/characters", query)["characters"],
    client.get("/api/saga/pull_planner")["data"]["cost"] + len([*client.each("/api/saga/characters", {"ids": []})]),
    code,
]))`,
    [address, keys.pro],
  );
  assert.equal(printed, [
    ['Secret', 'Bob', 'Ann'],
    [{ id: 'ann', name: 'Ann' }],
    160,
    [400, 'invalid-parameter', 'element'],
  ]);
});

test('says when the content changes between two pages', async (context) => {
  const tags = ['"a-x-y-br"', '"b-x-y-gzip"', '"c-x-z-br"'];
  const server = createServer((_request, response) => {
    response.setHeader('ETag', String(tags.shift()));
    response.end('{"build":"1","count":1,"total":3,"records":[{"id":"a"}]}');
  });
  const address = await listen(server);
  const program = `from game_data_read_api_client import BuildChangedError
read = []
try:
    for each in Client(sys.argv[1]).each("/api/saga/items"): read.append(each["id"])
except BuildChangedError:
    print(json.dumps(read))`;
  const printed = await runPython(context, program, [address]);
  assert.equal(printed, ['a', 'a']);
});

test('tries again after as long as a readable Retry-After says', async (context) => {
  const given = ['7', 'Wed, 99 Foo', '', '²'];
  const server = createServer((_request, response) => {
    const next = given.shift();
    if (next === undefined) response.end('{"total":1}');
    else response.writeHead(503, next === '' ? {} : { 'Retry-After': next }).end();
  });
  const address = await listen(server);
  const program = `import time
waits = []
time.sleep = waits.append
print(json.dumps([Client(sys.argv[1], retries=4).get("/api/games"), waits]))`;
  const printed = await runPython(context, program, [address]);
  assert.equal(printed, [{ total: 1 }, [7, 2, 4, 8]]);
});

test('follows no redirect, so that the key stays with the gateway', async (context) => {
  const requests: string[] = [];
  const other = createServer((request, response) => {
    requests.push(String(request.headers['x-api-key']));
    response.end('{}');
  });
  const target = `${await listen(other)}/api/me`;
  const redirecting = createServer((_, response) => {
    response.writeHead(302, { location: target }).end();
  });
  const address = await listen(redirecting);
  const program = `try:
    Client(sys.argv[1], "secret").get("/api/me")
    print(json.dumps([]))
except Problem as problem:
    print(json.dumps([problem.status]))`;
  const printed = await runPython(context, program, [address]);
  assert.equal([requests, printed], [[], [302]]);
});

test('runs the example of a stat over builds', async ({ folder, gateway }) => {
  const env = {
    PYTHONPATH: path.join(folder, 'site'),
    ADDRESS: gateway.address,
    API_KEY: gateway.keys.pro,
    GAME: 'saga',
  };
  const program = [path.join(EXAMPLES, 'stats-over-builds.py')];
  const { code, stdout, stderr } = await startProcess(PYTHON, program, { cwd: folder, env }).ended;
  assert.is(code, 0, stderr);
  assert.is(stdout, "Ann [('1.0', 10.5), ('1.1', 10.5)]\n{'Saga': 3, 'Young': 1}\n");
});

test.run();
