import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createProgram } from '../../gateway/program.ts';
import { readBlock } from '../docs/pages.ts';
import { ROOT } from '../support/paths.ts';

const EXAMPLES = path.join(ROOT, 'docs/operators/examples');

const examples = suite('the examples of containers and services');

async function read(file: string): Promise<string> {
  return await readFile(path.join(EXAMPLES, file), 'utf8');
}

/** The instructions of the last stage of a Containerfile. */
async function readLastStage(): Promise<{ stages: number; instructions: string[] }> {
  const text = (await read('containers/Containerfile')).replaceAll('\\\n', ' ');
  const instructions = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const stages = instructions.filter((line) => line.startsWith('FROM '));
  return {
    stages: stages.length,
    instructions: instructions.slice(instructions.lastIndexOf(stages.at(-1) ?? '')),
  };
}

examples('have an image of several stages, for a user who is not root, with a health check', async () => {
  const { stages, instructions } = await readLastStage();
  assert.is(stages, 3);
  const user = instructions.find((line) => line.startsWith('USER '));
  assert.match(user ?? '', /^USER [1-9]\d+:[1-9]\d+$/);
  assert.ok(instructions.some((line) => line.startsWith('HEALTHCHECK ') && line.includes('/healthz')));
  assert.not.ok(instructions.some((line) => /npm (ci|install)|ADD /.test(line)));
  for (const line of instructions.filter(
    (each) => each.startsWith('ENTRYPOINT ') || each.startsWith('CMD '),
  )) {
    assert.ok(Array.isArray(JSON.parse(line.replace(/^\w+ /, ''))), line);
  }
});

/** `gateway serve` with all parts. */
async function createServe(): Promise<Command> {
  const { commands } = await createProgram(['serve']);
  return commands[0] as Command;
}

/** The environment variables that `gateway serve` reads as options. */
async function optionVariables(): Promise<Set<string>> {
  return new Set((await createServe()).options.flatMap(({ envVar }) => envVar ?? []));
}

examples('set no environment variable that does not exist', async () => {
  const known = (await optionVariables()).add('GATEWAY_SECRET_KEY');
  for (const file of ['containers/Containerfile', 'containers/compose.yml', 'systemd/gateway.service']) {
    for (const name of (await read(file)).match(/\bGATEWAY_[A-Z_]+/g) ?? [])
      assert.ok(known.has(name), `${file}: ${name}`);
  }
});

interface Service {
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  networks: string[];
  volumes: string[];
}

interface Compose {
  services: Record<string, Service>;
  networks: object;
  volumes: object;
}

examples('have two gateways with the same settings, restricted, and not reachable from outside', async () => {
  const { services } = parse(await read('containers/compose.yml'), { merge: true }) as Compose;
  assert.equal(Object.keys(services), ['gateway-1', 'gateway-2', 'postgres', 'nginx']);
  assert.equal(services['gateway-1'], services['gateway-2']);
  const { 'gateway-1': gateway } = services;
  assert.ok(gateway);
  assert.is(gateway.read_only, true);
  assert.equal(gateway.cap_drop, ['ALL']);
  assert.equal(gateway.security_opt, ['no-new-privileges:true']);
  assert.match(gateway.healthcheck?.test.join(' ') ?? '', /\/readyz/);
  for (const [name, { ports, read_only }] of Object.entries(services)) {
    assert.is(ports === undefined, name !== 'nginx');
    assert.is(read_only, true);
  }
});

examples('name only services, networks, volumes and options that exist', async () => {
  const { services, networks, volumes } = parse(await read('containers/compose.yml')) as Compose;
  const nginx = await read('containers/nginx.conf');
  for (const [, host = ''] of nginx.matchAll(/server ([\w-]+):3000/g)) assert.ok(host in services, host);
  for (const service of Object.values(services)) {
    for (const name of Object.keys(service.depends_on ?? {})) {
      assert.ok(services[name]?.healthcheck, `${name} has no health check to wait for`);
    }
    for (const name of service.networks) assert.ok(name in networks, name);
    const named = service.volumes
      .map((volume) => volume.split(':')[0] ?? '')
      .filter((name) => !name.startsWith('.'));
    for (const name of named) assert.ok(name in volumes, name);
  }
  const options = await createServe();
  const given = services['gateway-1']?.environment?.GATEWAY_TRUSTED_PROXY ?? '';
  options.parseOptions(['--trusted-proxy', given, '--metrics-port', '9464']);
  assert.is(options.opts<{ metricsPort: number }>().metricsPort, 9464);
});

examples('have the nginx settings of stores.md, which other tests use with traffic', async () => {
  const tested = await readBlock('docs/operators/stores.md', 'nginx', 'front');
  const lines = (text: string) => text.match(/^ +(proxy_|keepalive ).*;/gm)?.map((line) => line.trim());
  assert.equal(lines(await read('containers/nginx.conf')), lines(tested));
  const upstreams = (text: string) =>
    text.match(/^ +server [\w.-]+:3000 (.*);/gm)?.map((line) => line.replace(/^.*:3000/, ''));
  assert.equal(upstreams(await read('containers/nginx.conf')), upstreams(tested));
});

examples('have services whose settings and programs exist', async () => {
  assert.equal((await readdir(path.join(EXAMPLES, 'systemd'))).sort(), [
    'gamedata.service',
    'gamedata.timer',
    'gateway.service',
    'patch-day.service',
    'patch-day.timer',
  ]);
  for (const file of ['gamedata.service', 'gateway.service', 'patch-day.service']) {
    const unit = await read(`systemd/${file}`);
    for (const [, script = ''] of unit.matchAll(/\/srv\/gateway\/build\/(\S+)\.js/g)) {
      assert.ok(await readFile(path.join(ROOT, `${script}.ts`)).then(() => true), script);
    }
    assert.match(unit, /^NoNewPrivileges=yes$/m);
    assert.match(unit, /^ProtectSystem=strict$/m);
  }
});

examples.run();
