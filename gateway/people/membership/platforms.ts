import { createKofi } from './ko-fi.ts';
import { createPatreon } from './patreon.ts';
import type { Environment, Platform } from './platform.ts';

/** All platforms that memberships may come from, by name; one more is a file and a line here. */
const PLATFORMS: Readonly<Record<string, (environment: Environment) => Platform | undefined>> = {
  patreon: createPatreon,
  'ko-fi': createKofi,
};

/** The names of all platforms. */
export const PLATFORM_NAMES: readonly string[] = Object.keys(PLATFORMS);

/**
 * The platforms that are set up.
 *
 * @throws SettingError
 */
export function readPlatforms(environment: Environment): Platform[] {
  return Object.values(PLATFORMS).flatMap((create) => create(environment) ?? []);
}
