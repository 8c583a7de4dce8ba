import { createHash } from 'node:crypto';
import { type Caller, isPublic, type Key, TIERS } from '../access/account.ts';
import type { Usage, WindowUsage } from '../access/charge.ts';
import type { View } from '../data/catalog.ts';
import { StoreError } from '../store/sql.ts';
import type { AccountAlerts, People, Route } from './route.ts';

export const meRoute: Route = {
  path: '/api/me',
  operationId: 'getAccount',
  summary: 'Your account',
  description:
    'The tier, the prefix, name and end of the key in use, the limits of the tier, what the account has used of them, what it follows, and on which channels it gets alerts. The email address is masked. ' +
    'Requests for it do not count, and succeed even when a cap is reached.',
  needsKey: true,
  isFree: true,
  isPersonal: true,
  parameters: [],
  result: 'Me',
  problems: [],
  async handle({ caller, usage, keyUsage, view }, { people }) {
    const { tier, key, account } = caller as Caller;
    const alerts = isPublic(key) ? null : await readAlerts(people, account.id, view);
    const json = Buffer.from(
      JSON.stringify({
        tier,
        key: {
          prefix: key.prefix,
          created_at: key.created_at,
          name: key.name ?? null,
          expires_at: key.revoked_at,
          browser: describeBrowserKey(key, keyUsage),
        },
        email: isPublic(key) ? null : maskEmail(account.email),
        pro_until: tier === 'pro' ? account.pro_until : null,
        limits: TIERS[tier].limits,
        usage: usage ? describeUsage(usage) : null,
        freshness: { delay_hours: TIERS[tier].delayHours },
        follows: alerts?.follows ?? null,
        channels: alerts?.channels ?? null,
      }),
    );
    return { tag: createHash('sha256').update(json).digest('hex'), body: () => ({ json }) };
  },
};

function describeBrowserKey({ browser }: Key, usage: Usage | undefined) {
  if (browser === undefined) return null;
  const { origins, limits = null } = browser;
  return { origins, limits, usage: usage ? describeUsage(usage) : null };
}

/** Returns null when it cannot be read: the rest of the response does not depend on it. */
async function readAlerts(people: People, account: string, view: View): Promise<AccountAlerts | null> {
  try {
    return (await people.readAlerts?.(account, view)) ?? null;
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

function describeUsage({ minute, day }: Usage) {
  const describe = ({ used, remaining, resetsAt }: WindowUsage) => ({
    used,
    remaining,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  });
  return { minute: describe(minute), day: describe(day) };
}

/** `someone@example.org` → `s…@example.org`. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
