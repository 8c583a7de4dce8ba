import { hash } from 'node:crypto';
import { type Caller, isPublic, limitsOf, TIERS, type Usage, type WindowUsage } from '../access/account.ts';
import { findGame } from '../data/catalog.ts';
import { StoreError } from '../store/sql.ts';
import { findDataset } from './lists.ts';
import { route } from './route.ts';

export const gamesRoute = route({
  path: '/api/games',
  operationId: 'listGames',
  summary: 'All games',
  result: 'Games',
  handle({ view }) {
    return { tag: view.gamesTag, body: () => ({ json: view.gamesJson }) };
  },
});

export const healthRoute = route({
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the gateway is alive',
  result: 'Status',
  isUncached: true,
  handle: () => ({ body: () => ({ json: Buffer.from('{"status":"alive"}') }) }),
});

export const readyRoute = route({
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the gateway is ready',
  result: 'Status',
  isUncached: true,
  problems: ['unavailable'],
  handle(_request, { checkReadiness }) {
    checkReadiness();
    return { body: () => ({ json: Buffer.from('{"status":"ready"}') }) };
  },
});

export const attributesRoute = route({
  path: '/api/:game/attributes',
  operationId: 'listAttributes',
  summary: 'What the attributes of the characters mean',
  result: 'Attributes',
  handle(request) {
    const game = findGame(request);
    const { build, opening, dictionary } = game;
    const { key, ...dataset } = findDataset(game, request.params.dataset);
    const members = () => JSON.stringify({ collection: key, ...dictionary.of(key) }).slice(1);
    const tag = `${build} ${dataset.tag} ${dictionary.tag}`;
    return { tag, build, body: () => ({ json: Buffer.from(`${opening},${members()}`) }) };
  },
});

export const datasetAttributesRoute = route({
  ...attributesRoute,
  path: '/api/:game/:dataset/attributes',
  operationId: 'listDatasetAttributes',
  summary: 'What the attributes of a dataset mean',
});

export const meRoute = route({
  path: '/api/me',
  operationId: 'getAccount',
  summary: 'Your account; requests for it do not count',
  isFree: true,
  isPersonal: true,
  result: 'Me',
  async handle({ caller, usage, keyUsage }, services) {
    const { tier, key, account } = caller as Caller;
    const [{ browser }, limits] = [key, limitsOf(key, tier) ?? null];
    const alerts = isPublic(key)
      ? null
      : await services.readAlerts(account.id).catch((error: unknown) => {
          // The rest of the response does not depend on the alerts.
          if (error instanceof StoreError) return null;
          throw error;
        });
    const me = {
      tier,
      key: {
        prefix: key.prefix,
        created_at: key.created_at,
        name: key.name ?? null,
        expires_at: key.revoked_at,
        browser: browser ? { origins: browser.origins, limits, usage: describeUsage(keyUsage) } : null,
      },
      email: isPublic(key) ? null : maskEmail(account.email),
      pro_until: tier === 'pro' ? account.pro_until : null,
      limits: TIERS[tier].limits,
      usage: describeUsage(usage),
      freshness: { delay_hours: TIERS[tier].delayHours },
      follows: alerts?.follows ?? null,
      channels: alerts?.channels ?? null,
    };
    const json = Buffer.from(JSON.stringify(me));
    return { tag: hash('sha256', json), body: () => ({ json }) };
  },
});

function describeUsage(usage: Usage | undefined) {
  if (usage === undefined) return null;
  const describe = ({ used, remaining, resetsAt }: WindowUsage) => ({
    used,
    remaining,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  });
  return { minute: describe(usage.minute), day: describe(usage.day) };
}

/** `someone@example.org` → `s…@example.org`. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
