import { readdirSync } from 'node:fs';
import { readVersion } from '../../scripts/lib/version.ts';
import { findFileLimit } from '../../scripts/lib/open-files.ts';
import { LAG_BOUNDS } from './event-loop.ts';
import { counter, type Family, gauge, histogram, only } from './family.ts';
import type { Sources } from './sources.ts';

/** The metrics of this process. If prom-client has the same metric, its name is used. */
export function processFamilies({ eventLoop, readDroppedLines }: Sources): Family[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge({ name: 'gateway_info', help: 'The version of the gateway.' }, 'max', [
      { value: 1, labels: { version: readVersion() } },
    ]),
    gauge(
      { name: 'process_start_time_seconds', help: 'When the oldest process started, in s since 1970.' },
      'min',
      only(Math.round(Date.now() / 1000 - process.uptime())),
    ),
    counter({ name: 'process_cpu_seconds', help: 'Processor time used.' }, only((user + system) / 1e6)),
    gauge({ name: 'process_resident_memory_bytes', help: 'Memory of all processes.' }, 'sum', only(rss)),
    gauge(
      { name: 'nodejs_heap_size_used_bytes', help: 'Memory of JavaScript objects.' },
      'sum',
      only(heapUsed),
    ),
    gauge(
      { name: 'nodejs_external_memory_bytes', help: 'Memory of buffers and native code.' },
      'sum',
      only(external),
    ),
    ...descriptorFamilies(),
    counter(
      { name: 'gateway_event_loop_busy_seconds', help: 'How long event loops were busy.' },
      only(eventLoop.busySeconds),
    ),
    counter(
      {
        name: 'gateway_log_lines_dropped',
        help: 'Lines of the log that were dropped because its reader is too slow.',
      },
      only(readDroppedLines()),
    ),
    histogram({ name: 'gateway_event_loop_lag_seconds', help: 'How late timers fire.' }, LAG_BOUNDS, [
      { labels: {}, histogram: eventLoop.lag },
    ]),
  ];
}

/** The number of open files and connections, and its limit; nothing on systems without /proc. */
function descriptorFamilies(): Family[] {
  const [open, max] = [countDescriptors(), findFileLimit()];
  if (open === undefined || max === undefined) return [];
  return [
    gauge(
      { name: 'process_open_fds', help: 'Open files and connections of the process with the most.' },
      'max',
      only(open),
    ),
    gauge(
      { name: 'process_max_fds', help: 'How many files and connections a process may have open.' },
      'min',
      only(max),
    ),
  ];
}

/** Returns how many descriptors this process has open; undefined where that cannot be read. */
function countDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
