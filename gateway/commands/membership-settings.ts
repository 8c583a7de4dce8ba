import { CommandError } from '../../scripts/lib/command-error.ts';
import { type Environment, type Platform, SettingError } from '../people/membership/platform.ts';
import { readPlatforms } from '../people/membership/platforms.ts';

/** What a command says of the settings of memberships. */
export const MEMBERSHIP_HELP = `
  PATREON_TIERS            the ids or titles of the tiers that buy Pro, separated by commas
  PATREON_MIN_CENTS        the amount, in cents, that buys Pro whatever the tier: 500
  KOFI_TIERS               the names of the tiers that buy Pro, separated by commas
  KOFI_MIN_AMOUNT          the amounts that buy Pro whatever the tier: 5 EUR,6 USD`;

/**
 * The platforms that the environment sets up.
 *
 * @throws CommandError where it contradicts itself or says nothing
 */
export function readMembershipSettings(environment: Environment): Platform[] {
  try {
    return readPlatforms(environment);
  } catch (error) {
    throw error instanceof SettingError ? new CommandError(error.message, 2) : error;
  }
}
