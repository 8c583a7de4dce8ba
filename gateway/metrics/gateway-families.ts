import { keysOf } from '../../scripts/format/dist-format.ts';
import { TIERS } from '../access/account.ts';
import type { AlertChannel } from './sources.ts';
import { counter, type Family, gauge, only } from './family.ts';
import type { Sources, StoreReading } from './sources.ts';

/** The metrics of a gateway's readiness, keys, quotas, data, store and alerts. */
export function gatewayFamilies(sources: Sources, reading: StoreReading): Family[] {
  return [
    gauge(
      { name: 'gateway_ready', help: '1 while every process may take traffic, as /readyz says.' },
      'min',
      only(Number(reading.unreadiness === undefined)),
    ),
    ...accessFamilies(sources),
    ...dataFamilies(sources),
    ...viewFamilies(sources),
    ...storeFamilies(reading),
    ...alertFamilies(reading.alerts ?? [], sources),
  ];
}

function accessFamilies({ readState }: Sources): Family[] {
  const { quotas, keys, badKeys } = readState();
  return [
    gauge(
      {
        name: 'gateway_quota_alone',
        help: '1 while quotas are counted in memory because the store does not respond.',
      },
      'max',
      only(Number(quotas.isAlone)),
    ),
    counter(
      { name: 'gateway_quota_counted_alone', help: 'Requests whose quota was counted or read in memory.' },
      only(quotas.countedAlone),
    ),
    gauge({ name: 'gateway_key_cache_keys', help: 'Keys in memory.' }, 'sum', only(keys.keys)),
    counter({ name: 'gateway_key_cache_lookups', help: 'Look-ups of keys, in memory or in the store.' }, [
      { value: keys.hits, labels: { result: 'hit' } },
      { value: keys.misses, labels: { result: 'miss' } },
    ]),
    counter(
      { name: 'gateway_bad_keys', help: 'Keys that were not valid, refused with 401 or throttled with 429.' },
      Object.entries(badKeys).map(([result, value]) => ({ value, labels: { result } })),
    ),
  ];
}

function dataFamilies({ follower }: Sources): Family[] {
  const { loadedAt, failure, mirror } = follower.state;
  const families = [
    gauge(
      { name: 'gateway_dist_loaded_timestamp_seconds', help: 'When the served state of dist/ was loaded.' },
      'min',
      only(loadedAt / 1000),
    ),
    gauge(
      { name: 'gateway_dist_failing', help: '1 while a newer state of dist/ cannot be loaded.' },
      'max',
      only(Number(failure !== undefined)),
    ),
  ];
  if (mirror === undefined) return families;
  return [
    ...families,
    gauge(
      {
        name: 'gateway_mirror_read_timestamp_seconds',
        help: 'When the index of a dist/ elsewhere was last read; 0 before the first time.',
      },
      'min',
      only((mirror.readAt ?? 0) / 1000),
    ),
    ...(mirror.serial === undefined
      ? []
      : [
          gauge(
            { name: 'gateway_dist_serial', help: 'The serial of the published state that was last read.' },
            'min',
            only(mirror.serial),
          ),
        ]),
    gauge(
      { name: 'gateway_mirror_failing', help: '1 while the copy of a dist/ elsewhere is not up to date.' },
      'max',
      only(Number(mirror.failure !== undefined)),
    ),
    gauge(
      {
        name: 'gateway_mirror_refused',
        help: '1 while what was published is refused: it is older, gone, or not signed as required.',
      },
      'max',
      only(Number(mirror.isRefused)),
    ),
  ];
}

function viewFamilies({ follower, now }: Sources): Family[] {
  const views = keysOf(TIERS).map((tier) => ({
    tier,
    games: [...follower.catalog.viewAt(now(), tier).games.values()],
  }));
  const ofGames = views.flatMap(({ tier, games }) => games.map((game) => ({ tier, game })));
  return [
    gauge(
      { name: 'gateway_games', help: 'Games that a tier sees.' },
      'min',
      views.map(({ tier, games }) => ({ value: games.length, labels: { tier } })),
    ),
    gauge(
      { name: 'gateway_game_degraded', help: '1 while a game is not served as it should be.' },
      'max',
      listGames(follower).map((game) => ({
        value: Number(follower.degraded.some((part) => part.game === game)),
        labels: { game },
      })),
    ),
    gauge(
      { name: 'gateway_build_info', help: 'The current build of each game, by tier.' },
      'max',
      ofGames.map(({ tier, game: { slug, build } }) => ({ value: 1, labels: { game: slug, tier, build } })),
    ),
    gauge(
      { name: 'gateway_builds', help: 'How many builds of each game a tier sees: a serial that only grows.' },
      'min',
      ofGames.map(({ tier, game: { slug, builds, build } }) => ({
        value: builds.findIndex((each) => each.build === build) + 1,
        labels: { game: slug, tier },
      })),
    ),
    gauge(
      {
        name: 'gateway_build_released_timestamp_seconds',
        help: 'When the current build of each game was released, by tier.',
      },
      'min',
      ofGames.map(({ tier, game: { slug, released_at } }) => ({
        value: Date.parse(released_at) / 1000,
        labels: { game: slug, tier },
      })),
    ),
  ];
}

/** The slugs of all games that are loaded or degraded. */
function listGames({ catalog, degraded }: Sources['follower']): string[] {
  const slugs = [...catalog.loaded.map(({ slug }) => slug), ...degraded.flatMap(({ game }) => game ?? [])];
  return [...new Set(slugs)];
}

function storeFamilies({ pingSeconds, bytes }: StoreReading): Family[] {
  return [
    gauge(
      { name: 'gateway_store_up', help: '1 while the store responds to every process.' },
      'min',
      only(Number(pingSeconds !== undefined)),
    ),
    ...(pingSeconds === undefined
      ? []
      : [
          gauge(
            {
              name: 'gateway_store_ping_seconds',
              help: 'How long the store took to respond, at this scrape.',
            },
            'max',
            only(pingSeconds),
          ),
        ]),
    ...(bytes === undefined
      ? []
      : [gauge({ name: 'gateway_store_bytes', help: "Size of the store's folder." }, 'max', only(bytes))]),
  ];
}

function alertFamilies(channels: readonly AlertChannel[], { mails, now }: Sources): Family[] {
  return [
    gauge(
      { name: 'gateway_alerts_due', help: 'Alerts that are due and not begun, by channel; at most 1000.' },
      'max',
      channels.map(({ channel, due }) => ({ value: due.count, labels: { channel } })),
    ),
    gauge(
      { name: 'gateway_alerts_delay_seconds', help: 'For how long the oldest of them has been due.' },
      'max',
      channels.map(({ channel, due: { oldest = now() } }) => ({
        value: Math.max(0, now() - oldest) / 1000,
        labels: { channel },
      })),
    ),
    counter(
      { name: 'gateway_alert_attempts', help: 'Attempts to send an alert, by channel and outcome.' },
      channels.flatMap(({ channel, outcomes = {} }) =>
        Object.entries(outcomes).map(([outcome, value]) => ({ value, labels: { channel, outcome } })),
      ),
    ),
    counter(
      { name: 'gateway_mails', help: 'Mails of every kind, by outcome.' },
      Object.entries(mails ?? {}).map(([outcome, value]) => ({ value, labels: { outcome } })),
    ),
  ];
}
