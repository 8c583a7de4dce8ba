import { createKofi } from './ko-fi.ts';
import { createPatreon } from './patreon.ts';
import type { Environment, Platform } from './platform.ts';

/** All platforms that sell memberships, by name. To add one, write a file and add a line here. */
const PLATFORMS: Readonly<Record<string, (environment: Environment) => Platform | undefined>> = {
  patreon: createPatreon,
  'ko-fi': createKofi,
};

/** The names of all platforms. */
export const PLATFORM_NAMES: readonly string[] = Object.keys(PLATFORMS);

/**
 * Returns the platforms that the environment configures.
 *
 * @throws SettingError
 */
export function readPlatforms(environment: Environment): Platform[] {
  return Object.values(PLATFORMS).flatMap((create) => create(environment) ?? []);
}
