import { createHash } from 'node:crypto';
import type { Caller } from '../access/authenticate.ts';
import type { Usage, WindowUsage } from '../quota/counters.ts';
import { TIERS } from '../tiers.ts';
import type { Route } from './route.ts';

export const meRoute: Route = {
  path: '/api/me',
  operationId: 'getAccount',
  summary: 'Your account',
  description:
    'The tier, the key in use by its prefix, what the tier gets, and what the account has used of it. The e-mail address is masked. ' +
    'Requests for it do not count, and are answered when a cap is reached.',
  needsKey: true,
  isFree: true,
  isPersonal: true,
  parameters: [],
  answer: 'Me',
  problems: [],
  handle({ caller, usage }) {
    const { tier, key, account } = caller as Caller;
    const json = Buffer.from(
      JSON.stringify({
        tier,
        key: { prefix: key.prefix, created_at: key.created_at },
        email: maskEmail(account.email),
        pro_until: tier === 'pro' ? account.pro_until : null,
        limits: TIERS[tier].limits,
        usage: usage ? describeUsage(usage) : null,
        freshness: { delay_hours: TIERS[tier].delayHours },
      }),
    );
    return { tag: createHash('sha256').update(json).digest('hex'), body: () => ({ json }) };
  },
};

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
