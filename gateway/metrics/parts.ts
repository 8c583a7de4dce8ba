import type { Part } from './report.ts';
import type { Sources, StoreReading } from './sources.ts';

/** How late alerts may be before they count as degraded, in ms: far longer than usual. */
const LATE_MS = 5 * 60_000;

/** Describes the status of each part of a gateway in words. */
export function describeParts(sources: Sources, reading: StoreReading): Part[] {
  return [
    describeReadiness(reading),
    describeData(sources),
    ...describeGames(sources),
    describeStore(reading),
    describeQuotas(sources),
    ...describeAlerts(sources, reading),
  ];
}

function describeReadiness({ unreadiness }: StoreReading): Part {
  if (unreadiness === undefined) {
    return { part: 'gateway', status: 'ok', detail: 'It is ready: known keys can be served.' };
  }
  return { part: 'gateway', status: 'down', detail: `It is not ready: ${unreadiness}.` };
}

function describeData({ follower }: Sources): Part {
  const { failure, isPartial, mirror, loadedAt } = follower.state;
  const since = new Date(loadedAt).toISOString();
  if (mirror?.failure !== undefined) {
    const served = mirror.isPartial
      ? 'lacks some games'
      : `is not up to date, and the state of ${since} is served`;
    return degraded('data', `The copy of dist/ ${served}: ${mirror.failure}`);
  }
  if (failure !== undefined) {
    const served = isPartial
      ? `is served since ${since}, except for what is damaged`
      : `cannot be loaded, and the state of ${since} is served`;
    return degraded('data', `The newest state ${served}: ${failure}`);
  }
  const other = follower.degraded.find(({ game }) => game === undefined);
  if (other) return degraded('data', other.problem);
  return { part: 'data', status: 'ok', detail: `The newest state is served since ${since}.` };
}

function describeGames({ follower, now }: Sources): Part[] {
  const { catalog } = follower;
  const problems = new Map<string, string[]>();
  for (const { slug } of catalog.loaded) problems.set(slug, []);
  for (const { game, problem } of follower.degraded)
    if (game !== undefined) problems.set(game, [...(problems.get(game) ?? []), problem]);
  const buildFor = (slug: string, tier: 'free' | 'pro') =>
    catalog.viewAt(now(), tier).games.get(slug)?.build ?? 'none';
  return [...problems].map(([name, found]) => ({
    part: 'game',
    name,
    status: found.length > 0 ? 'degraded' : 'ok',
    detail: [
      `The build for free keys is ${buildFor(name, 'free')}, for Pro keys ${buildFor(name, 'pro')}.`,
      ...found,
    ].join(' '),
  }));
}

function describeStore({ failure }: StoreReading): Part {
  if (failure === undefined) return { part: 'store', status: 'ok', detail: 'The store responds.' };
  const detail = `${failure}. Keys seen in the last 30 seconds still work, others get 503.`;
  return { part: 'store', status: 'down', detail };
}

function describeQuotas({ readState }: Sources): Part {
  if (!readState().quotas.isAlone) {
    return { part: 'quotas', status: 'ok', detail: 'Requests are counted in the store.' };
  }
  return degraded('quotas', 'Each gateway counts requests on its own until the store responds again.');
}

function describeAlerts({ now }: Sources, { alerts = [] }: StoreReading): Part[] {
  return alerts.map(({ channel, due: { count, oldest } }) => {
    const delay = oldest === undefined ? 0 : now() - oldest;
    if (delay < LATE_MS) return { part: 'alerts', name: channel, status: 'ok', detail: `${count} are due.` };
    const minutes = Math.floor(delay / 60_000);
    const detail = `${count} are due, the oldest for ${minutes} minutes. Check that a gateway is running that can send them, and read its log.`;
    return { part: 'alerts', name: channel, status: 'degraded', detail };
  });
}

function degraded(part: Part['part'], detail: string): Part {
  return { part, status: 'degraded', detail };
}
