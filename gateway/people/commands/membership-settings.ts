import { CommandError } from '../../../scripts/system.ts';
import { type Environment, type Platform, SettingError } from '../membership/platform.ts';
import { readPlatforms } from '../membership/platforms.ts';

/** The help text about the settings of memberships. */
export const MEMBERSHIP_HELP = `
  PATREON_TIERS            the ids or titles of the tiers that buy Pro, separated by commas
  PATREON_MIN_CENTS        the amount, in cents, that buys Pro in any tier: 500
  KOFI_TIERS               the names of the tiers that buy Pro, separated by commas
  KOFI_MIN_AMOUNT          the amounts that buy Pro in any tier: 5 EUR,6 USD`;

/**
 * Reads the platforms that the environment configures.
 *
 * @throws CommandError if settings contradict each other or have no effect
 */
export function readMembershipSettings(environment: Environment): Platform[] {
  try {
    return readPlatforms(environment);
  } catch (error) {
    throw error instanceof SettingError ? new CommandError(error.message, 2) : error;
  }
}
