import type { Histogram } from './histogram.ts';

/** A value of a metric. Labels come from the code and from dist/, never from a request. */
export interface Sample {
  value: number;
  labels: Record<string, string>;
  /** The name, if it differs from that of the family, as in histograms. */
  metricName?: string;
}

/** How the values of several processes are combined. */
export type Aggregator = 'sum' | 'max' | 'min';

/** A metric with its values at a moment, as prom-client renders and aggregates it. It is plain data, so that processes can send it. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  aggregator: Aggregator;
  values: Sample[];
}

/** Name and description of a metric. */
export interface Naming {
  name: string;
  help: string;
}

/** Makes a counter; OpenMetrics adds `_total` to its name. */
export function counter(naming: Naming, values: Sample[]): Family {
  return { ...naming, type: 'counter', aggregator: 'sum', values };
}

/** Makes a gauge. */
export function gauge(naming: Naming, aggregator: Aggregator, values: Sample[]): Family {
  return { ...naming, type: 'gauge', aggregator, values };
}

/** Makes a histogram of several series. */
export function histogram(
  naming: Naming,
  bounds: readonly number[],
  series: Iterable<{ labels: Record<string, string>; histogram: Histogram }>,
): Family {
  const values = [...series].flatMap(({ labels, histogram: { counts, sum } }) => {
    let total = 0;
    const buckets = [...counts].map((count, at) => {
      total += count;
      const le = at < bounds.length ? String(bounds[at]) : '+Inf';
      return { metricName: `${naming.name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${naming.name}_sum`, labels, value: sum },
      { metricName: `${naming.name}_count`, labels, value: total },
    ];
  });
  return { ...naming, type: 'histogram', aggregator: 'sum', values };
}

/** A sample without labels. */
export function only(value: number): Sample[] {
  return [{ value, labels: {} }];
}

/** Adds up counters and histograms that have the same name and labels. */
export function addUp(families: readonly Family[]): Family[] {
  const sums = new Map<string, { family: Family; samples: Map<string, Sample> }>();
  for (const family of families) {
    const sum = sums.get(family.name) ?? { family, samples: new Map<string, Sample>() };
    sums.set(family.name, sum);
    for (const sample of family.values) {
      const key = JSON.stringify([sample.metricName, sample.labels]);
      const before = sum.samples.get(key)?.value ?? 0;
      sum.samples.set(key, { ...sample, value: before + sample.value });
    }
  }
  return [...sums.values()].map(({ family, samples }) => ({ ...family, values: [...samples.values()] }));
}
