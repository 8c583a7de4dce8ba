import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { CAN_CONTAIN, type Container, ContainerNetwork } from '../support/container.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { around } from '../support/nginx-server.ts';
import { ROOT } from '../support/paths.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import { withPrograms } from '../support/skip.ts';
import { until } from '../support/until.ts';

const EXAMPLES = path.join(ROOT, 'docs/operators/examples/containers');

/** What the Containerfile says of the image. */
interface Image {
  /** What is copied from the first stage: the path in the checkout, and in the image. */
  files: [from: string, to: string][];
  options: { env: Record<string, string>; cwd: string; user: number };
  volume: string;
  command: string[];
  healthcheck: string[];
}

/** Reads the last stage of the Containerfile. */
async function readImage(): Promise<Image> {
  const text = await readFile(path.join(EXAMPLES, 'Containerfile'), 'utf8');
  const stage = text.slice(text.lastIndexOf('\nFROM ')).replaceAll('\\\n', ' ');
  const all = (name: string) =>
    [...stage.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, rest = '']) => rest);
  const [workdir = '/', cwd = '/'] = all('WORKDIR');
  const variables = all('ENV').flatMap((line) =>
    line.split(' ').map((pair) => pair.split('=') as [string, string]),
  );
  const [user = ''] = all('USER');
  const list = (name: string) => JSON.parse(all(name)[0] ?? '[]') as string[];
  return {
    files: all('COPY').map((line) => {
      const [, from = '', to = ''] = /^--from=build \/app\/(\S+) (\S+)$/.exec(line) ?? [];
      return [path.join(ROOT, from), path.join(workdir, to === './' ? from : to)];
    }),
    options: { env: Object.fromEntries(variables), cwd, user: Number(user.split(':')[0]) },
    volume: all('VOLUME')[0] ?? '',
    command: [...list('ENTRYPOINT'), ...list('CMD')],
    healthcheck: JSON.parse(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]') as string[],
  };
}

interface Service {
  command?: string[];
  user?: string;
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
}

/** Reads the services of the compose file, with the variables of an `.env`. */
async function readServices(variables: Record<string, string>): Promise<Record<string, Service>> {
  const fill = (_: string, value: unknown) =>
    typeof value !== 'string'
      ? value
      : value
          .replace(
            /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
            (_all, name: string, other = '') => variables[name] ?? other,
          )
          .replaceAll('$$', '$');
  const text = await readFile(path.join(EXAMPLES, 'compose.yml'), 'utf8');
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
  return JSON.parse(JSON.stringify(services, fill)) as Record<string, Service>;
}

/** The command of a health check. */
function checkOf({ healthcheck }: Service): string[] {
  const [kind, ...rest] = healthcheck?.test ?? [];
  return kind === 'CMD-SHELL' ? ['sh', '-c', ...rest] : rest;
}

interface Context {
  folder: string;
  image: Image;
  network: ContainerNetwork;
}

const all = suite<Context>('the example of containers');
if (!CAN_CONTAIN)
  process.stdout.write('skipped without network namespaces: the example of containers\n'.repeat(2));
const test = CAN_CONTAIN ? withPrograms(all, 'redis-server', 'nginx', 'setpriv', 'curl') : all.skip;

all.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'image-'));
  await chmod(context.folder, 0o755);
  context.image = await readImage();
  const dist = path.join(context.folder, 'dist');
  await mkdir(dist);
  // As deployment.md says: what is written in it inherits the group.
  if (CAN_CONTAIN) await chown(dist, process.getuid?.() ?? 0, context.image.options.user);
  await chmod(dist, 0o2750);
  await buildGames(SAMPLE_GAMES, dist);
  if (CAN_CONTAIN)
    context.network = await ContainerNetwork.open(['gateway-1', 'gateway-2', 'redis', 'nginx']);
});
all.after.each(async ({ folder, network }) => {
  await network?.close();
  await rm(folder, { recursive: true });
});

/** Adds a container with the image's files, and a dist/ that it can only read. */
async function addGateway({ network, image, folder }: Context, name: string): Promise<Container> {
  return await network.add(name, [
    ...image.files,
    [`uid=${image.options.user}`, image.volume],
    [path.join(folder, 'dist'), '/published'],
  ]);
}

test('has an image whose gateway serves as its user, with a read-only root, and whose health check works', async (context) => {
  const { image } = context;
  const { command, healthcheck } = image;
  const options = { ...image.options, env: { ...image.options.env, GATEWAY_DIST: '/published' } };
  const container = await addGateway(context, 'gateway-1');
  assert.is(await container.run(healthcheck, options), 1, 'it fails while no gateway runs');
  const gateway = container.start(command, options);
  await gateway.printed(/"message":"listening","address":"http:\/\/0\.0\.0\.0:3000"/);
  assert.is(await container.run(healthcheck, options), 0);
  const status = await container.start(['cat', `/proc/${gateway.child.pid}/status`]).ended;
  assert.match(status.stdout, new RegExp(`^Uid:(\\s+${image.options.user}){4}$`, 'm'));
  assert.match(status.stdout, /^NoNewPrivs:\s+1$/m);
  for (const set of ['CapPrm', 'CapEff', 'CapBnd'])
    assert.match(status.stdout, new RegExp(`^${set}:\\s+0+$`, 'm'));
  for (const place of ['/file', '/app/file', '/published/file', '/etc/file'])
    assert.is(await container.run(['touch', place], options), 1, `${place} can be written`);
  const [, ...gatewayCommand] = command.toReversed();
  const issued = await container.start(
    [...gatewayCommand.reverse(), 'keys', 'issue', 'ada@example.org'],
    options,
  ).ended;
  assert.is(issued.code, 0, issued.stderr);
  const doctor = await container.start([...gatewayCommand, 'doctor'], {
    ...options,
    env: { ...options.env, GATEWAY_PORT: '3001' },
  }).ended;
  assert.match(doctor.stdout, /^ok +permissions/m, doctor.stdout);
  assert.is(await container.run(['node', '/app/build/scripts/cli.js', '--version'], options), 0);
  gateway.child.kill('SIGTERM');
  const { code, stdout, stderr } = await gateway.ended;
  assert.equal([code, stderr], [0, '']);
  assert.not.match(stdout, /"level":"error"/);
  assert.is(await container.run(healthcheck, options), 1);
});

/** Starts Redis, two gateways and nginx as the compose file says. */
async function startServices(context: Context, services: Record<string, Service>): Promise<Container[]> {
  const { network, folder, image } = context;
  const { redis, nginx, ...gateways } = services;
  const user = Number(redis?.user?.split(':')[0]);
  const redisContainer = await network.add('redis', [[`uid=${user}`, '/data']]);
  const redisOptions = { user, cwd: '/data', env: redis?.environment ?? {} };
  redisContainer.start(redis?.command ?? [], redisOptions);
  await until(async () => (await redisContainer.run(checkOf(redis ?? {}), redisOptions)) === 0);
  const started = [];
  for (const [name, service] of Object.entries(gateways)) {
    const container = await addGateway(context, name);
    const options = { ...image.options, env: { ...image.options.env, ...service.environment } };
    const gateway = container.start(image.command, options);
    await gateway.printed(/"message":"listening"/);
    await until(async () => (await container.run(checkOf(service), options)) === 0);
    started.push(container);
  }
  const config = path.join(folder, 'nginx.conf');
  await writeFile(config, around(await readFile(path.join(EXAMPLES, 'nginx.conf'), 'utf8')));
  const front = await network.add('nginx', [[config, '/nginx/nginx.conf']]);
  front.start(['nginx', '-c', '/nginx/nginx.conf', '-p', '/tmp', '-e', '/tmp/error.log']);
  return [front, ...started];
}

test('has a compose file whose services find each other, and serve while one gateway is dead', async (context) => {
  const services = await readServices({ REDIS_PASSWORD: 'correct-horse-battery' });
  const [front, first] = (await startServices(context, services)) as [Container, Container];
  const environment = services['gateway-1']?.environment ?? {};
  const { image } = context;
  const issue = ['node', '/app/build/gateway/cli.js', 'keys', 'issue', 'ada@example.org', '--json'];
  const issued = await first.start(issue, { ...image.options, env: environment }).ended;
  const key = /gdr_[a-z2-7]{30,}/.exec(issued.stdout)?.[0];
  assert.ok(key, issued.stderr);
  const ask = async (address: string) =>
    (await front.start(['curl', '-sS', '-i', '-H', `X-API-Key: ${key}`, address]).ended).stdout;
  await until(async () => (await ask('http://127.0.0.1/api/games')).startsWith('HTTP/1.1 200'));
  assert.match(await ask('http://gateway-2:9464/metrics'), /^gateway_store_up 1$/m);
  const before = Number(/"minute";r=(\d+)/.exec(await ask('http://127.0.0.1/api/games'))?.[1]);
  await first.end('SIGKILL');
  for (let left = before - 1; left > before - 5; left--) {
    const response = await ask('http://127.0.0.1/api/games');
    assert.match(response, /^HTTP\/1\.1 200/);
    assert.match(response, `"minute";r=${left};`);
  }
});

all.run();
