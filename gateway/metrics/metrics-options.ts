import { type Command, Option } from 'commander';
import { parsePort } from '../commands/processes.ts';

/** Where metrics are served. */
export interface MetricsOptions {
  /** Undefined for no metrics. */
  metricsPort?: number;
  metricsHost: string;
  /** Names with dots that clients may reach the port by. */
  metricsName: readonly string[];
}

/** Adds the options of metrics. */
export function addMetricsOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--metrics-port <number>',
        'port for /metrics, which only operators may reach; 0 for any free one (default: none)',
      )
        .env('GATEWAY_METRICS_PORT')
        .argParser(parsePort),
    )
    .addOption(
      new Option('--metrics-host <address>', 'address that --metrics-port listens on')
        .env('GATEWAY_METRICS_HOST')
        .default('127.0.0.1'),
    )
    .addOption(
      new Option(
        '--metrics-name <names>',
        'names with dots that --metrics-port is reached by, separated by commas; IP addresses and names without dots always work (default: none)',
      )
        .env('GATEWAY_METRICS_NAME')
        .argParser((text) => text.split(',').flatMap((name) => name.trim().toLowerCase() || []))
        .default([], 'none'),
    );
}
