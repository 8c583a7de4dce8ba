import { CommandError } from '../../../scripts/lib/command-error.ts';
import { readVault, type Vault } from '../alerts/vault.ts';

/**
 * Makes the vault whose keys the environment has.
 *
 * @throws CommandError when the variable is not valid; it does not quote it, because it contains keys
 */
export function readVaultSetting({ GATEWAY_SECRET_KEYS }: NodeJS.ProcessEnv): Vault {
  const vault = readVault(GATEWAY_SECRET_KEYS);
  if (vault) return vault;
  throw new CommandError(
    'GATEWAY_SECRET_KEYS is not valid; expected keys of 32 bytes as base64, separated by commas, as openssl rand -base64 32 makes them',
    2,
  );
}
