import { createHash } from 'node:crypto';
import type { Caller } from '../access/authenticate.ts';
import { TIERS } from '../tiers.ts';
import type { Route } from './route.ts';

export const meRoute: Route = {
  path: '/api/me',
  operationId: 'getAccount',
  summary: 'Your account',
  description:
    'The tier, the key in use by its prefix, and what the tier gets. The e-mail address is masked.',
  needsKey: true,
  parameters: [],
  answer: 'Me',
  problems: [],
  handle({ caller }) {
    const { tier, key, account } = caller as Caller;
    const json = Buffer.from(
      JSON.stringify({
        tier,
        key: { prefix: key.prefix, created_at: key.created_at },
        email: maskEmail(account.email),
        pro_until: tier === 'pro' ? account.pro_until : null,
        limits: TIERS[tier].limits,
        freshness: { delay_hours: TIERS[tier].delayHours },
      }),
    );
    return { tag: createHash('sha256').update(json).digest('hex'), body: () => ({ json }) };
  },
};

/** `someone@example.org` → `s…@example.org`. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
