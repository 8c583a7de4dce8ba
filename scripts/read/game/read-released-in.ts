import type { Finding } from '../../findings/findings.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { readInstant } from '../../schemas/instant.ts';
import type { Regions } from './table-definition.ts';

/** A valid date or date-time in UTC. */
export function toUtc(instant: string): string {
  return readInstant(instant) ?? instant;
}

/**
 * Reads the releases in regions where they differ.
 *
 * @param regions those of game.json; without them, the names of regions are free
 * @param file the build's build.json
 * @returns the times in UTC, by region
 */
export function readReleasedIn(
  times: Readonly<Record<string, string>>,
  regions: Regions | undefined,
  file: string,
  findings: Finding[],
): Record<string, string> {
  for (const region of Object.keys(times)) {
    if (regions === undefined || Object.hasOwn(regions, region)) continue;
    findings.push({
      check: 'definition',
      severity: 'error',
      place: { file, pointer: pointerTo('/released_in', region) },
      found: `the region "${region}", which game.json does not name`,
      expected: `one of its regions: ${Object.keys(regions).join(', ')}`,
    });
  }
  return Object.fromEntries(Object.entries(times).map(([region, time]) => [region, toUtc(time)]));
}
