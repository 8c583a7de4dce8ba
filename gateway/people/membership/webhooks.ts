// The platforms that sell memberships, and the addresses of their webhooks.

import { readBody } from '../../http/html.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { PLATFORM } from '../../store/audit.ts';
import type { Needs } from '../people.ts';
import { createKofi } from './ko-fi.ts';
import { applyEvents, type MembershipChange } from './membership.ts';
import { createPatreon } from './patreon.ts';
import type { Environment, Platform } from './platform.ts';

/** To add a platform, write a file and add a line here. */
const PLATFORMS: Readonly<Record<string, (environment: Environment) => Platform | undefined>> = {
  patreon: createPatreon,
  'ko-fi': createKofi,
};

export const PLATFORM_NAMES: readonly string[] = Object.keys(PLATFORMS);

/**
 * Returns the platforms that the environment configures.
 *
 * @throws CommandError if a setting is wrong
 */
export function readPlatforms(environment: Environment): Platform[] {
  return Object.values(PLATFORMS).flatMap((create) => create(environment) ?? []);
}

/** Larger payloads get a 413. */
const MAX_PAYLOAD_BYTES = 64 * 1024;

/**
 * The endpoints `POST /webhooks/<name>`. One whose secret is not set responds 404. An accepted webhook gets a 204; platforms repeat others, which is
 * harmless.
 */
export function webhookEndpoints(services: Needs<'platforms' | 'store' | 'log' | 'now'>): Endpoint[] {
  const { platforms, store, log, now } = services;
  return PLATFORM_NAMES.map((platform) => {
    const path = `/webhooks/${platform}`;
    const readWebhook = platforms.find(({ name }) => name === platform)?.readWebhook;
    if (!readWebhook) return { path, get: refuseUnknown, post: refuseUnknown };
    return {
      path,
      async post(request, response) {
        const body = await readBody(request, MAX_PAYLOAD_BYTES);
        let event: ReturnType<typeof readWebhook>;
        try {
          event = readWebhook(request.headers, body, now());
        } catch (error) {
          if (error instanceof HttpProblem)
            log.error('a webhook was refused', { platform, reason: error.message });
          throw error;
        }
        const effect =
          'ignored' in event
            ? `ignored: ${event.ignored}`
            : describeOutcome(await applyEvents(store, platform, [event], { actor: PLATFORM }));
        const reason = 'reason' in event && { reason: event.reason };
        log.info('webhook', { platform, event: event.name, effect, ...reason });
        response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
      },
    };
  });
}

async function refuseUnknown(): Promise<never> {
  throw new HttpProblem('not-found', 'no webhook is configured at this address');
}

/** Describes the effect of events for the log. */
function describeOutcome({ before, after, hasAccount }: MembershipChange): string {
  const waiting = hasAccount || after === null ? '' : ', waiting for an account';
  if (before === after) return `unchanged${waiting}`;
  return after === null ? 'Pro ended' : `Pro until ${after}${waiting}`;
}
