import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChannelName } from '../../gateway/people/alerts/channels.ts';
import type { Running } from '../support/command.ts';
import { until } from '../support/until.ts';
import { type ProWorld, startProWorld } from './pro-world.ts';

interface Context {
  /** One for all tests: an alert that one test loses or repeats makes the next tests fail too. */
  world: ProWorld;
  gateway: Running;
}

const pro = suite<Context>('a Pro account');
pro.before.each(async (context) => {
  if (context.world) return;
  context.world = await startProWorld();
  context.gateway = await context.world.startGateway();
});

/** The builds in a feed, oldest first. */
async function readFeed({ feed }: ProWorld): Promise<string[]> {
  const atom = await (await fetch(feed)).text();
  const entries = atom.split('<entry>').slice(1);
  for (const entry of entries) assert.match(entry, /<link href="http:[^"]+\/games\/saga\/patches\/1\.\d+"/);
  return entries.map((entry) => /Saga: build (\S+) is out/.exec(entry)?.[1] ?? entry).reverse();
}

/** The subjects of the mails about builds. The first sign-in and key of the account are mailed too. */
function announced({ smtp }: ProWorld): string[] {
  return smtp.mails.map(({ subject }) => subject).filter((subject) => !subject.startsWith('Your account'));
}

/** Waits until every build was announced in each of the three ways, and checks that each was announced once. */
async function checkAlerts(world: ProWorld): Promise<void> {
  const { released, accepted, secret } = world;
  const isDone = (alerts: readonly unknown[]) => alerts.length >= released.length;
  try {
    await until(() => isDone(accepted) && isDone(announced(world)));
  } catch (error) {
    process.stderr.write(
      `${released.length} released, ${accepted.length} posted, ${announced(world).length} mailed;` +
        ` the gateway logged:\n${world.gatewayLog()}\n`,
    );
    throw error;
  }
  const verifier = new Webhook(secret);
  for (const { body, headers } of accepted) verifier.verify(body, headers as Record<string, string>);
  assert.equal(accepted.map(({ event }) => event.data.build).sort(), released);
  assert.equal(new Set(accepted.map(({ headers }) => headers['webhook-id'])).size, released.length);
  assert.equal(
    announced(world).sort(),
    released.map((build) => `Saga: build ${build} is out`),
  );
  assert.equal(await readFeed(world), released);
}

/** Requests a link to the newest snapshot. */
async function requestLink({ address, key }: ProWorld) {
  const target = `${address}/api/saga/snapshot/latest?via=link`;
  const response = await fetch(target, { headers: { 'x-api-key': key } });
  return (await response.json()) as { url: string; sha256: string };
}

/** Checks that a link leads to the newest build. */
async function checkDownload({ address, released }: ProWorld, link: { url: string; sha256: string }) {
  const { url, sha256 } = { ...link, url: address + link.url };
  const download = Buffer.from(await (await fetch(url)).arrayBuffer());
  assert.is(createHash('sha256').update(download).digest('hex'), sha256);
  assert.is((JSON.parse(String(download)) as { build: string }).build, released.at(-1));
  assert.is((await fetch(url.replace(/\?.*/, ''))).status, 403);
}

async function checkAll(world: ProWorld): Promise<void> {
  await checkAlerts(world);
  await checkDownload(world, await requestLink(world));
}

/** Waits until the last attempt by a channel is for the newest build, and has this outcome. */
async function untilTried({ attempts, released }: ProWorld, channel: ChannelName, outcome: string) {
  await until(async () => {
    const last = (await attempts()).find((attempt) => attempt.channel === channel);
    return last?.event.build === released.at(-1) && last?.outcome === outcome;
  });
}

pro('a published build is announced in every way, and can be downloaded', async ({ world }) => {
  await world.release();
  await checkAll(world);
});

pro('a consumer that responds with 500 gets the same webhook again', async ({ world }) => {
  world.failNextPost(500);
  await world.release();
  await checkAll(world);
  const [failed, accepted] = world.consumer.posts.slice(-2);
  assert.is(failed?.headers['webhook-id'], accepted?.headers['webhook-id']);
  assert.is(failed?.body, accepted?.body);
});

pro('a mail waits until the mail server is available', async ({ world }) => {
  await world.smtp.stop();
  await world.release();
  await untilTried(world, 'mail', 'failed');
  await world.smtp.start();
  await checkAll(world);
});

pro('a gateway that is killed loses nothing when it starts again', async (context) => {
  const { world } = context;
  world.failNextPost(503);
  await world.release();
  await untilTried(world, 'webhook', 'failed');
  await untilTried(world, 'mail', 'delivered');
  await world.killGateway();
  await world.release();
  context.gateway = await world.startGateway();
  await checkAll(world);
});

pro('a build that is published while the source cannot be reached is loaded later', async (context) => {
  const { world, gateway } = context;
  const before = await requestLink(world);
  await world.source.stop();
  await gateway.printed(/dist not mirrored, serving what is there/);
  await world.release();
  assert.is((await requestLink(world)).sha256, before.sha256);
  await world.source.start();
  await checkAll(world);
});

pro.run();
