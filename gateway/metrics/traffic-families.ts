import { counter, type Family, histogram, only, type Sample } from './family.ts';
import { DURATION_BOUNDS, type RouteTraffic, STATUSES, TIERS, type Traffic } from './traffic.ts';

/** The metrics of responses. */
export function trafficFamilies({ routes }: Traffic): Family[] {
  const all = [...routes];
  const responses = all.flatMap(samplesOf);
  const failed = responses.filter(({ labels }) => labels.status?.startsWith('5'));
  return [
    counter(
      { name: 'gateway_requests', help: 'Responses by route, tier of the caller, and status.' },
      responses,
    ),
    counter(
      {
        name: 'gateway_failed_requests',
        help: 'Responses with a 5xx status. Unlike gateway_requests it begins at 0.',
      },
      only(failed.reduce((sum, { value }) => sum + value, 0)),
    ),
    histogram(
      {
        name: 'gateway_request_duration_seconds',
        help: 'Time from a request to the end of its response, by route.',
      },
      DURATION_BOUNDS,
      all.map(({ route, durations }) => ({ labels: { route }, histogram: durations })),
    ),
  ];
}

function samplesOf({ route, counts }: RouteTraffic): Sample[] {
  const samples: Sample[] = [];
  for (const [at, value] of counts.entries()) {
    if (value === 0) continue;
    const tier = TIERS[Math.floor(at / STATUSES)] ?? 'none';
    samples.push({ value, labels: { route, tier, status: String(at % STATUSES) } });
  }
  return samples;
}
