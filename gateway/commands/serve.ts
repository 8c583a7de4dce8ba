import cluster from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { DistError } from '../catalog/dist-folder.ts';
import { openDist } from '../catalog/open-dist.ts';
import { CommandError } from '../lib/command-error.ts';
import { createLog } from '../log/log.ts';
import { ACCOUNT } from '../people/account-pages/addresses.ts';
import { accountEndpoints, closedAccountEndpoints } from '../people/account-pages/endpoints.ts';
import { startAlerts } from '../people/alerts/alerts.ts';
import { feedEndpoint } from '../people/alerts/feed.ts';
import { startAnnouncing } from '../people/game-requests/announce.ts';
import { openMailer } from '../people/mail/open-mailer.ts';
import { claimEndpoints } from '../people/membership/claim-endpoints.ts';
import { webhookEndpoints } from '../people/membership/webhooks.ts';
import { closedSignupEndpoints, signupEndpoints } from '../people/signup/endpoints.ts';
import { SIGNUP } from '../people/signup/pages.ts';
import { createGateway, type Gateway } from '../server.ts';
import { openStore } from '../store/open-store.ts';
import { readAccountPageSettings } from './account-page-settings.ts';
import { describeDemo, issueDemoKeys, revokeDemoKeys } from './demo.ts';
import { chooseLinkScheme } from './link-options.ts';
import { MEMBERSHIP_HELP, readMembershipSettings } from './membership-settings.ts';
import { addServeOptions, type ServeOptions } from './serve-options.ts';
import { readSignupSettings } from './signup-settings.ts';
import { withStore } from './store-command.ts';
import { superviseWorkers } from './workers.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** `gateway serve`. */
export function serveCommand(): Command {
  return addServeOptions(new Command('serve'))
    .description('answer requests over the compiled data')
    .addHelpText(
      'after',
      `
Mails go to the server SMTP_URL, smtps://user:password@host:465 or smtp://host:587, from the sender MAIL_FROM; both are read from the
environment. Without them, and not in production, mails are files in var/outbox.

Platforms that sell memberships tell of them at /webhooks/patreon and /webhooks/ko-fi, once the environment sets them up:
  PATREON_WEBHOOK_SECRET   the secret that Patreon shows for the webhook
  KOFI_VERIFICATION_TOKEN  the token that Ko-fi shows for the webhook${MEMBERSHIP_HELP}

The gateway follows the dist folder: what a later gamedata build writes is served without a restart.
SIGTERM and SIGINT finish what is under way and end it.

Examples:
  gateway serve                                     on http://127.0.0.1:3000, data from dist/
  gateway serve --host 0.0.0.0 --dist /srv/dist     for a machine behind a proxy that does TLS
  gateway serve --dist s3://games/dist              follow what gamedata publish sent there
  gateway keys issue someone@example.org            issue a key, also while it runs`,
    )
    .action((options: ServeOptions) =>
      options.workers > 1 && cluster.isPrimary
        ? serveByWorkers(options)
        : // A worker ends when it has nothing more to tell the process above it.
          serve(options).finally(() => cluster.worker?.disconnect()),
    );
}

async function serveByWorkers({ workers, store, accessLog, demo, host }: ServeOptions): Promise<void> {
  if (demo) refuseDemoInPublic(host);
  const stopped = untilStopped();
  const log = createLog(process.stdout, { now: Date.now, access: accessLog });
  await withStore(store, revokeDemoKeys);
  process.exitCode = await superviseWorkers(workers, stopped, log);
  await withStore(store, revokeDemoKeys);
}

/** Resolves when the process is told to stop. */
function untilStopped(): Promise<unknown> {
  return Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
}

/** Serves in this process: alone, or as one of several workers, of which the first speaks for all. */
async function serve({
  port,
  host,
  dist,
  cache,
  s3Endpoint: endpoint,
  store: storeAddress,
  accessLog,
  demo,
  trustedProxy: clientAddress,
  ...choice
}: ServeOptions): Promise<void> {
  if (demo) refuseDemoInPublic(host);
  const now = Date.now;
  const openLinkScheme = chooseLinkScheme(choice, endpoint, now);
  const stopped = untilStopped();
  const isAlone = cluster.isPrimary;
  const speaks = isAlone || cluster.worker?.id === 1;
  const log = createLog(process.stdout, { now, access: accessLog });
  const mailer = await openMailer(process.env, { now, log });
  const signup = readSignupSettings(choice, process.env, mailer, log);
  const accountMailer = readAccountPageSettings(mailer, choice.publicUrl, { env: process.env, log });
  const platforms = readMembershipSettings(process.env);
  const follower = await openDist(dist, { cache, endpoint, now, log }).catch((error: unknown) => {
    throw error instanceof DistError ? new CommandError(error.message) : error;
  });
  const store = await openStore(storeAddress, log);
  let address = '';
  const publicUrl = () => choice.publicUrl ?? address;
  const services = { store, log, now, publicUrl, clientAddress };
  const pages = signup && { ...services, mailer: signup.mailer };
  const policy = { isProduction: process.env.NODE_ENV === 'production' };
  const hasClaims = pages !== undefined && platforms.length > 0;
  const endpoints = [
    ...(pages ? signupEndpoints(pages) : closedSignupEndpoints()),
    ...(hasClaims ? claimEndpoints(pages) : []),
    ...(accountMailer
      ? accountEndpoints({ ...services, mailer: accountMailer, follower, policy, hasClaims })
      : closedAccountEndpoints()),
    ...webhookEndpoints({ platforms, store, log, now }),
    feedEndpoint({ store, now, publicUrl }),
  ];
  try {
    const linkScheme = await openLinkScheme(store);
    const gateway = createGateway({ follower, store, log, now, linkScheme, endpoints });
    // Also keys of a demo that was killed.
    if (isAlone) await revokeDemoKeys(store);
    address = await listen(gateway, port, host);
    if (demo && speaks)
      process.stdout.write(
        describeDemo(address, await issueDemoKeys(store, now()), follower.catalog.viewAt(now(), 'free')),
      );
    const alerts = startAlerts({ follower, store, log, now, mailer, policy });
    const announcer = startAnnouncing({ follower, store, log, now, mailer });
    const listening = {
      address,
      ...(signup && { signup: `${publicUrl()}${SIGNUP}` }),
      ...(accountMailer && { account: `${publicUrl()}${ACCOUNT}` }),
      webhooks:
        platforms.flatMap(({ name, readWebhook }) => (readWebhook ? name : [])).join(', ') || undefined,
    };
    if (speaks) log.info('listening', listening);
    await stopped;
    if (isAlone) log.info('shutting down');
    await Promise.all([gateway.close(), alerts.close(), announcer.close()]);
    if (isAlone) await revokeDemoKeys(store);
  } finally {
    follower.close();
    await store.close();
  }
}

function refuseDemoInPublic(host: string): void {
  if (!LOOPBACK.has(host))
    throw new CommandError(`--demo gives keys away, so it listens on the loopback only, not on ${host}`, 2);
  if (process.env.NODE_ENV === 'production')
    throw new CommandError('--demo gives keys away, so it is refused where NODE_ENV is production', 2);
}

async function listen({ server }: Gateway, port: number, host: string): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE'
        ? 'it is in use: stop the other program, or name another by --port'
        : (error as Error).message;
    throw new CommandError(`cannot listen on port ${port} of ${host}: ${reason}`);
  }
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
