import { AggregatorRegistry, Registry } from 'prom-client';
import type { Family } from './family.ts';

/** The media type of what `renderMetrics` returns. */
export const METRICS_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

/**
 * Renders the metrics of one or several processes as OpenMetrics text. Values with the same name and labels become one.
 *
 * @param processes the metrics of each process
 */
export async function renderMetrics(processes: readonly (readonly Family[])[]): Promise<string> {
  const registry = AggregatorRegistry.aggregate(processes.map((families) => [...families]));
  registry.setContentType(METRICS_TYPE);
  return await registry.metrics();
}
