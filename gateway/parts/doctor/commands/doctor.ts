import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { CommandError } from '../../../../scripts/core/lib/command-error.ts';
import type { Settings } from '../check.ts';
import { type Diagnosis, diagnose } from '../checks.ts';
import { THIS_MACHINE } from '../this-machine.ts';
import type { Log } from '../../../core/log/log.ts';
import { countSecrets } from '../../people/alerts/encrypt-secrets.ts';
import { verifySmtp } from '../../people/mail/verify-smtp.ts';
import { isRedisAddress } from '../../../core/store/address.ts';
import { openNearStore, refuseIfOld } from '../../../core/store/open-store.ts';
import { chooseLinkScheme } from '../../../core/commands/link-options.ts';
import { readPeopleSettings } from '../../people/commands/people-settings.ts';
import { addServeOptions, type ServeOptions } from '../../../core/commands/serve-options.ts';
import { addStoreOptions, print, type StoreOptions } from '../../../core/commands/store-command.ts';
import { isReachable, isStrict } from '../../../core/commands/strict-mode.ts';
import { readVaultSetting } from '../../people/commands/vault-setting.ts';

const SILENT: Log = { info() {}, error() {}, access() {} };

/** `gateway doctor`. */
export function doctorCommand(): Command {
  return addStoreOptions(new Command('doctor'))
    .description('check this machine and the settings in the environment')
    .addHelpText(
      'after',
      `
Reads the settings that gateway serve would read from the environment, and reports what is wrong and what to do. It changes nothing, and
ends with exit code 1 if the gateway could not run. Use gateway serve --check to check options of the command line.

Example:
  gateway doctor`,
    )
    .action(async ({ store, json }: StoreOptions, command: Command) => {
      const serve = addServeOptions(new Command('serve')).copyInheritedSettings(command);
      serve.parse(['--store', store], { from: 'user' });
      await checkServe({ ...serve.opts<ServeOptions>(), json });
    });
}

/**
 * Checks a machine and the options of `gateway serve`, and prints what is found.
 *
 * @throws CommandError when the gateway could not run
 */
export async function checkServe(options: ServeOptions & { json?: true | undefined }): Promise<void> {
  const found = await diagnose({ settings: readSettings(options), machine: THIS_MACHINE });
  print(options.json ? JSON.stringify(found, null, 2) : describe(found));
  const errors = found.flatMap(({ faults }) => faults.filter(({ level }) => level === 'error'));
  if (errors.length > 0)
    throw new CommandError(
      `the gateway cannot run with these settings: ${errors.length} of the checks failed`,
    );
}

function readSettings(options: ServeOptions): Settings {
  const { SMTP_URL } = process.env;
  const { store, storeId: identity, storeTimeout: waitMs, s3Endpoint, metricsPort, publicUrl } = options;
  return {
    ...options,
    ...{ s3Endpoint, metricsPort, publicUrl },
    trustsProxies: options.trustedProxy.exist,
    isReachable: isReachable(options),
    isStrict: isStrict(options),
    async readRest() {
      chooseLinkScheme(options, s3Endpoint, Date.now);
      await readPeopleSettings(options, SILENT);
    },
    async countSecrets(opened) {
      const vault = readVaultSetting(process.env);
      const counted = opened ? await countSecrets(opened, vault) : { plain: 0, unreadable: 0 };
      return { isOn: vault.isOn, ...counted };
    },
    verifyMail: SMTP_URL ? () => verifySmtp(SMTP_URL) : undefined,
    async openStore() {
      if (!isRedisAddress(store)) refuseIfOld(store);
      return isRedisAddress(store) || existsSync(store) || identity !== undefined
        ? await openNearStore(store, { log: SILENT, identity, waitMs })
        : undefined;
    },
  };
}

function describe(found: readonly Diagnosis[]): string {
  return found
    .flatMap(({ check, description, faults }) =>
      faults.length === 0
        ? [`ok       ${check}: ${description}`]
        : faults.map(
            ({ level, problem, advice }) => `${level.padEnd(7)}  ${check}: ${problem}\n         → ${advice}`,
          ),
    )
    .join('\n');
}
