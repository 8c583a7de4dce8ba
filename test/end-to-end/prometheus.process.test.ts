import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand, startProcess } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { findFreePort } from '../support/free-port.ts';
import { ROOT } from '../support/paths.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import { withPrograms } from '../support/skip.ts';
import { until } from '../support/until.ts';

const EXAMPLES = path.join(ROOT, 'docs/operators/examples');

interface Context {
  folder: string;
  files: FileServer;
  gateway: Running;
  prometheus: Running;
  /** The address of Prometheus. */
  address: string;
}

const all = suite<Context>('the examples for Prometheus and Grafana');
const test = withPrograms(all, 'prometheus', 'promtool');

test('have alert rules that promtool accepts, and whose tests pass', async () => {
  for (const args of [
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alert-rules.test.yml'],
  ]) {
    const { code, stdout, stderr } = await startProcess('promtool', args, {
      cwd: EXAMPLES,
    }).ended;
    assert.is(code, 0, stdout + stderr);
  }
});

test('have a test for each alert, a section of the runbook for each, and an alert for each section', async () => {
  const rules = await readFile(path.join(EXAMPLES, 'alert-rules.yml'), 'utf8');
  const tests = await readFile(path.join(EXAMPLES, 'alert-rules.test.yml'), 'utf8');
  const runbook = await readFile(path.join(ROOT, 'docs/operators/runbook.md'), 'utf8');
  const anchors = new Set(
    [...runbook.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  assert.ok(names.length > 10);
  for (const name of names) {
    assert.match(runbook, new RegExp(`\\| \`${name}\` `), `${name} is not in the table of the runbook`);
    assert.match(tests, new RegExp(`alertname: ${name}\\n +exp_alerts:\\n`), `${name} never fires in a test`);
  }
  for (const [, anchor = ''] of rules.matchAll(/runbook\.md#(\S+)/g)) assert.ok(anchors.has(anchor), anchor);
  const [, table = ''] = runbook.split('| alert | section |');
  const linked = new Set(
    [...table.matchAll(/\| `\w+` \|.*/g)].flatMap(([row]) => row.match(/(?<=\(#)[^)]+/g)),
  );
  // An upgrade is no failure.
  linked.add('upgrade-and-go-back');
  assert.equal(
    [...anchors].filter((anchor) => !linked.has(anchor)),
    [],
    'a section without an alert',
  );
});

all.before(async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'prometheus-'));
  await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
  context.folder = folder;
  const publish = startCommand('gamedata', ['publish', 'published', '--dist', 'dist'], { cwd: folder });
  assert.is((await publish.ended).code, 0);
  context.files = await startFileServer(path.join(folder, 'published'));
});
all.after(async ({ folder, files, gateway, prometheus }) => {
  for (const running of [prometheus, gateway]) {
    running?.child.kill('SIGTERM');
    await running?.ended;
  }
  await files.stop();
  await rm(folder, { recursive: true });
});

/** Starts a gateway that has every metric: with workers, and a dist/ elsewhere. @returns the host and port of its metrics */
async function startGateway(context: Context): Promise<string> {
  const { folder, files } = context;
  const places = [
    '--dist',
    files.address,
    '--cache',
    path.join(folder, 'cache'),
    '--store',
    path.join(folder, 'store'),
  ];
  const ports = ['--port', '0', '--metrics-port', '0', '--workers', '2'];
  context.gateway = startCommand('gateway', ['serve', ...places, ...ports], { cwd: folder });
  const [, metrics = ''] = await context.gateway.printed(/"message":"metrics","address":"http:\/\/([^"]+)"/);
  const [, address = ''] = await context.gateway.printed(/"message":"listening","address":"(http:[^"]+)"/);
  await fetch(`${address}/api/games`);
  return metrics;
}

/** Starts Prometheus with the example's configuration, for one gateway and scraping each second. */
async function startPrometheus(context: Context, target: string): Promise<void> {
  const { folder } = context;
  const port = await findFreePort();
  const config = (await readFile(path.join(EXAMPLES, 'prometheus.yml'), 'utf8'))
    .replace('127.0.0.1:9464', target)
    .replace('[alert-rules.yml]', `['${path.join(EXAMPLES, 'alert-rules.yml')}']`)
    .replaceAll('15s', '1s');
  await writeFile(path.join(folder, 'prometheus.yml'), config);
  const args = [
    `--config.file=${path.join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${path.join(folder, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  context.prometheus = startProcess('prometheus', args, { cwd: folder });
  context.address = `http://127.0.0.1:${port}`;
}

interface QueryResult {
  status: string;
  error?: string;
  data: { result: { value: [number, string] }[] };
}

async function query({ address }: Context, expression: string): Promise<QueryResult> {
  const response = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expression)}`);
  return (await response.json()) as QueryResult;
}

/** Returns whether Prometheus has scraped the gateway often enough that every query must have a result. */
async function hasScraped(context: Context): Promise<boolean> {
  const scrapes = 'count_over_time(gateway_requests_total{route="/api/games"}[5m]) >= 5';
  const found = await query(context, scrapes).catch(() => undefined);
  return found !== undefined && found.data.result.length > 0;
}

async function readDashboard(): Promise<string[]> {
  const dashboard = JSON.parse(await readFile(path.join(EXAMPLES, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

test('have a dashboard whose queries have results, and rules whose metrics exist', async (context) => {
  await startPrometheus(context, await startGateway(context));
  await until(() => hasScraped(context));
  const expressions = (await readDashboard()).map((text) =>
    text.replaceAll('$job', 'gateway').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
  );
  assert.ok(expressions.length > 30, String(expressions.length));
  const rules = await readFile(path.join(EXAMPLES, 'alert-rules.yml'), 'utf8');
  const named = rules.match(/\b(gateway|process)_\w+/g) ?? [];
  for (const expression of [...expressions, ...new Set(named)]) {
    const { status, error, data } = await query(context, expression);
    assert.is(status, 'success', `${expression}: ${error}`);
    assert.ok(data.result.length > 0, `${expression} has no result`);
  }
  const { data } = await query(context, 'up{job="gateway"}');
  assert.is(data.result[0]?.value[1], '1');
});

all.run();
