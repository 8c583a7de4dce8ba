import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listenOn } from '../../../gateway/commands/stop.ts';
import { StoreError, StoreRefusal } from '../../../gateway/store/store.ts';
import { EventLoop } from '../../../gateway/metrics/event-loop.ts';
import { addUp, counter, only } from '../../../gateway/metrics/family.ts';
import { reporter } from '../../../gateway/metrics/make-report.ts';
import { MetricsServer } from '../../../gateway/metrics/metrics-server.ts';
import { renderMetrics } from '../../../gateway/metrics/render.ts';
import type { ProcessReport } from '../../../gateway/metrics/report.ts';
import type { Sources } from '../../../gateway/metrics/sources.ts';
import type { Status } from '../../../gateway/metrics/status.ts';
import { Traffic } from '../../../gateway/metrics/traffic.ts';
import { readTable } from '../../support/docs/pages.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROOT } from '../../support/paths.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { QUIET } from '../../support/quiet.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

interface Context {
  gateway: TestGateway;
  sources: Sources;
  server: MetricsServer;
  address: string;
  /** Replaces how reports are made. */
  read: () => Promise<ProcessReport[]>;
}

const metrics = suite<Context>('the metrics server');
metrics.before.each(async (context) => {
  const gateway = await startGateway(SAMPLE_GAMES);
  const { follower, store, clock } = gateway;
  const eventLoop = new EventLoop();
  context.gateway = gateway;
  context.sources = {
    ...{ traffic: new Traffic(), eventLoop, follower, store, storeFolder: path.dirname(gateway.dist) },
    readState: () => gateway.gateway.state,
    findUnreadiness: () => gateway.gateway.findUnreadiness(),
    readAlerts: async () => [
      { channel: 'webhook', due: { count: 0, oldest: undefined }, outcomes: { failed: 0 } },
    ],
    mails: { sent: 0 },
    readDroppedLines: () => 7,
    faults: { damagedRecords: 2, clockJumps: 3 },
    now: () => clock.now,
  };
  context.read = async () => [await reporter(context.sources)()];
  context.server = new MetricsServer({
    read: () => context.read(),
    log: QUIET,
    names: ['metrics.example.org'],
  });
  context.address = await listenOn(context.server.server, 0, '127.0.0.1', '--metrics-port');
});
metrics.after.each(async ({ gateway, server, sources }) => {
  sources.eventLoop.close();
  await server.close();
  await gateway.stop();
});

async function readStatus({ address }: Context): Promise<Status> {
  return (await (await fetch(`${address}/statusz`)).json()) as Status;
}

metrics('shows OpenMetrics text', async ({ address }) => {
  const response = await fetch(`${address}/metrics`);
  assert.match(response.headers.get('content-type') ?? '', /^application\/openmetrics-text; version=1\.0\.0/);
  const text = await response.text();
  assert.match(text, /^# TYPE gateway_requests counter$/m);
  assert.match(text, /^gateway_store_up 1$/m);
  assert.match(text, /^gateway_store_damaged_records 2$/m);
  assert.match(text, /^gateway_clock_jumps_total 3$/m);
  assert.match(text, /^gateway_log_lines_dropped_total 7$/m);
  assert.match(text, /^gateway_build_info\{game="star-rail",tier="free",build="1\.1"\} 1$/m);
  assert.match(text, /^gateway_builds\{game="star-rail",tier="pro"\} 2$/m);
  assert.ok(text.endsWith('# EOF\n'));
});

metrics('refuses a Host that a stranger could let resolve to its address', async ({ address }) => {
  const askAs = async (host: string) =>
    (await sendPlainly(`${address}/metrics`, { headers: { host } })).status;
  for (const host of ['127.0.0.1:9464', '[::1]:9464', 'localhost', 'gateway-1:9464', 'METRICS.example.org:1'])
    assert.is(await askAs(host), 200, host);
  for (const host of [
    'evil.example',
    'evil.example:9464',
    '127.0.0.1.evil.example',
    'localhost.',
    '[a.b]',
    'a:b:c',
  ])
    assert.is(await askAs(host), 421, host);
  const { body } = await sendPlainly(`${address}/statusz`, { headers: { host: 'evil.example' } });
  assert.match(String(body), /^Host is not a name of this port, .*--metrics-name/);
});

metrics('shows each metric that its page lists, and no other', async (context) => {
  const page = await readFile(path.join(ROOT, 'docs/operators/metrics.md'), 'utf8');
  const listed = readTable(page, '| metric |').map(([name = '']) => name.replaceAll('`', ''));
  const onlyElsewhere = /^gateway_(mirror_|workers|dist_serial)/;
  const [report] = await context.read();
  const shown = (report as ProcessReport).metrics.map(({ name, type }) =>
    type === 'counter' ? `${name}_total` : name,
  );
  assert.equal(listed.filter((name) => !onlyElsewhere.test(name)).sort(), shown.sort());
});

metrics('reports in words which part is down, and why', async (context) => {
  assert.equal((await readStatus(context)).problems, []);
  const { clock } = context.gateway;
  const late = { count: 3, oldest: clock.now - 600_000 };
  context.sources.readAlerts = async () => [{ channel: 'mail', due: late, outcomes: {} }];
  assert.equal((await readStatus(context)).problems, [
    'alerts mail is degraded: 3 are due, the oldest for 10 minutes. Check that a gateway is running that can send them, and read its log.',
  ]);
  const failing = Promise.reject(new StoreError('away'));
  failing.catch(() => {});
  Object.defineProperty(context.sources, 'store', { value: { ping: () => failing } });
  const { status, problems } = await readStatus(context);
  assert.is(status, 'down');
  assert.match(problems.join(), /^store is down: away\. Keys seen/);
  assert.match(await (await fetch(`${context.address}/metrics`)).text(), /^gateway_store_up 0$/m);
});

metrics('shows a store that refuses its work, its last backup, and who writes to dist/', async (context) => {
  const read = async () => await (await fetch(`${context.address}/metrics`)).text();
  const before = await read();
  for (const name of ['store_refuses', 'store_backup_timestamp_seconds', 'dist_locked_timestamp_seconds'])
    assert.match(before, new RegExp(`^gateway_${name} 0$`, 'm'));
  const since = '2026-11-01T00:00:00.000Z';
  const { storeFolder = '', follower } = context.sources;
  await writeFile(path.join(storeFolder, 'last-backup'), `${since}\n`);
  await writeFile(path.join(follower.folder, '.lock'), JSON.stringify({ pid: 1, since }));
  const ping = () => Promise.reject(new StoreRefusal('full'));
  Object.defineProperty(context.sources, 'store', { value: { ping } });
  const after = await read();
  assert.match(after, /^gateway_store_refuses 1$/m);
  assert.match(after, /^gateway_store_backup_timestamp_seconds 1793491200$/m);
  assert.match(after, /^gateway_dist_locked_timestamp_seconds 1793491200$/m);
});

metrics('lists the builds of each game', async (context) => {
  const { processes } = await readStatus(context);
  const games = processes[0]?.parts.filter(({ part }) => part === 'game');
  assert.equal(
    games?.map(({ name, detail }) => `${name}: ${detail}`),
    [
      'star-rail: The build for free keys is 1.1, for Pro keys 1.1.',
      'tiny-game: The build for free keys is 1, for Pro keys 1.',
      'unborn: The build for free keys is none, for Pro keys none.',
    ],
  );
});

metrics('refuses other addresses and methods, and survives a failed report', async (context) => {
  const { address } = context;
  assert.is((await fetch(`${address}/`)).status, 404);
  assert.is((await fetch(`${address}/constructor`)).status, 404);
  assert.is((await fetch(`${address}/metrics`, { method: 'POST' })).status, 405);
  const { read } = context;
  context.read = () => Promise.reject(new Error('broken'));
  assert.is((await fetch(`${address}/metrics`)).status, 500);
  context.read = read;
  assert.is((await fetch(`${address}/metrics?any=thing`)).status, 200);
});

metrics('combines several processes: adds up their counters, and uses their worst gauge', async () => {
  const of = (count: number, up: number) => [
    counter({ name: 'some_requests', help: 'Some.' }, [{ value: count, labels: { route: '/a' } }]),
    { name: 'some_up', help: 'Up.', type: 'gauge' as const, aggregator: 'min' as const, values: only(up) },
  ];
  const text = await renderMetrics([of(2, 1), of(3, 0)]);
  assert.match(text, /^some_requests_total\{route="\/a"\} 5$/m);
  assert.match(text, /^some_up 0$/m);
  assert.equal(addUp([...of(2, 1), ...of(3, 0)]).find(({ type }) => type === 'counter')?.values, [
    { value: 5, labels: { route: '/a' } },
  ]);
});

metrics.run();
