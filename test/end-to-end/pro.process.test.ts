import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChannelName } from '../../gateway/people/alerts/attempts.ts';
import type { Running } from '../support/command.ts';
import { type ProWorld, startProWorld } from '../support/pro-world.ts';
import { withPrograms } from '../support/skip.ts';
import { until } from '../support/until.ts';

interface Context {
  /** One for all tests: what a part that failed lost, or told twice, shows in those after it as well. */
  world: ProWorld;
  gateway: Running;
}

const pro = suite<Context>('what Pro pays for');
pro.before.each(async (context) => {
  if (context.world) return;
  context.world = await startProWorld();
  context.gateway = await context.world.startGateway();
  await context.world.openStream();
});
pro.after(async ({ world }) => {
  await world?.stop();
});

/** The builds of which a feed tells, the oldest first. */
async function readFeed({ feed }: ProWorld): Promise<string[]> {
  const atom = await (await fetch(feed)).text();
  const entries = atom.split('<entry>').slice(1);
  return entries.map((entry) => /Saga: build (\S+) is out/.exec(entry)?.[1] ?? entry).reverse();
}

/** Waits until every build was told in each of the four ways, and makes sure that each was told once. */
async function checkTold(world: ProWorld): Promise<void> {
  const { released, taken, smtp, streamed, secret } = world;
  const isTold = (told: readonly unknown[]) => told.length >= released.length;
  await until(() => isTold(taken) && isTold(smtp.mails) && isTold(streamed()));
  await until(async () => isTold(await readFeed(world)));
  const verifier = new Webhook(secret);
  for (const { body, headers } of taken) verifier.verify(body, headers as Record<string, string>);
  assert.equal(taken.map(({ event }) => event.data.build).sort(), released);
  assert.equal(new Set(taken.map(({ headers }) => headers['webhook-id'])).size, released.length);
  assert.equal(
    smtp.mails.map(({ subject }) => subject).sort(),
    released.map((build) => `Saga: build ${build} is out`),
  );
  assert.equal(
    streamed().map(({ data }) => data.data.build),
    released,
  );
  assert.equal(await readFeed(world), released);
}

/** Asks for the address of the newest snapshot. */
async function askLink({ address, key }: ProWorld) {
  const target = `${address}/api/saga/snapshot/latest?via=link`;
  const answer = await fetch(target, { headers: { 'x-api-key': key } });
  return (await answer.json()) as { url: string; sha256: string };
}

/** Makes sure that a link leads to the newest build, on the CDN. */
async function checkDownload({ cdn, released }: ProWorld, { url, sha256 }: { url: string; sha256: string }) {
  assert.ok(url.startsWith(`${cdn.address}/saga/snapshot.`), url);
  const download = Buffer.from(await (await fetch(url)).arrayBuffer());
  assert.is(createHash('sha256').update(download).digest('hex'), sha256);
  assert.is((JSON.parse(String(download)) as { build: string }).build, released.at(-1));
  assert.is((await fetch(url.replace(/\?.*/, ''))).status, 403);
}

async function checkAll(world: ProWorld): Promise<void> {
  await checkTold(world);
  await checkDownload(world, await askLink(world));
}

/** Waits until the last attempt by a channel is of the newest build, and has ended so. */
async function untilTried({ attempts, released }: ProWorld, channel: ChannelName, outcome: string) {
  await until(async () => {
    const last = (await attempts()).find((attempt) => attempt.channel === channel);
    return last?.event.build === released.at(-1) && last?.outcome === outcome;
  });
}

const register = withPrograms(pro, 'nginx');

register('a build that is published is told in every way, and can be downloaded', async ({ world }) => {
  await world.release();
  await checkAll(world);
});

register('a consumer that answers 500 gets the same again', async ({ world }) => {
  world.failNextPost(500);
  await world.release();
  await checkAll(world);
  const [failed, taken] = world.consumer.posts.slice(-2);
  assert.is(failed?.headers['webhook-id'], taken?.headers['webhook-id']);
  assert.is(failed?.body, taken?.body);
});

register('a mail waits for a mail server that is away', async ({ world }) => {
  await world.smtp.stop();
  await world.release();
  await untilTried(world, 'mail', 'failed');
  await world.smtp.start();
  await checkAll(world);
});

register('a gateway that is killed has lost nothing when it starts again', async (context) => {
  const { world } = context;
  world.failNextPost(503);
  await world.release();
  await untilTried(world, 'webhook', 'failed');
  await untilTried(world, 'mail', 'delivered');
  await world.killGateway();
  await world.cutStream();
  await world.release();
  context.gateway = await world.startGateway();
  await world.openStream();
  await checkAll(world);
});

register('a stream that is cut off goes on where it was', async ({ world }) => {
  await world.cutStream();
  await world.release();
  await until(() => world.taken.length === world.released.length);
  await world.openStream();
  await checkAll(world);
});

register('a link outlives a CDN that is away for a while', async ({ world }) => {
  await world.cdn.stop();
  await world.release();
  await checkTold(world);
  const link = await askLink(world);
  assert.is(await fetch(link.url).catch(() => 'no answer'), 'no answer');
  await world.cdn.start();
  await checkDownload(world, link);
});

register('what is published while its place cannot be reached comes when it can', async (context) => {
  const { world, gateway } = context;
  const before = await askLink(world);
  await world.source.stop();
  await gateway.printed(/dist not mirrored, serving what is there/);
  await world.release();
  assert.is((await askLink(world)).sha256, before.sha256);
  await world.source.start();
  await checkAll(world);
});

pro.run();
