import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import type { ServedPart } from '../../commands/door.ts';
import { addAllOptions, prepareParts } from '../../commands/serve.ts';
import type { ServeOptions } from '../../commands/serve-options.ts';
import { addStoreOptions, print, type StoreOptions } from '../../commands/store-command.ts';
import { isReachable, isStrict } from '../../commands/strict-mode.ts';
import type { WrittenLog } from '../../http/log.ts';
import { openNearStore } from '../../store/open-store.ts';
import { isRedisAddress } from '../../store/store.ts';
import { PART_CHECKS, refuseIfOld } from '../../facts/checks.ts';
import type { Settings } from '../check.ts';
import { CHECKS, type Diagnosis, diagnose, ofPart } from '../checks.ts';
import { THIS_MACHINE } from '../this-machine.ts';

const SILENT: WrittenLog = { info() {}, error() {}, access() {}, flush() {}, dropped: 0 };

/** What is checked. */
interface Checked {
  /** Has the options of `gateway serve`. */
  command: Command;
  parts: readonly ServedPart[];
  json?: true | undefined;
}

/** Options of other parts that are checked with those of the core; absent without these parts. */
interface PortOptions {
  workers?: number;
  metricsPort?: number;
  metricsHost?: string;
}

/** `gateway doctor`. */
export function doctorCommand(parts: readonly ServedPart[]): Command {
  return addStoreOptions(new Command('doctor'))
    .addHelpText(
      'after',
      `
Reads the settings that gateway serve would read from the environment, and reports what is wrong and what to do. It changes nothing, and
ends with exit code 1 if the gateway could not run. Use gateway serve --check to check options of the command line.

Example:
  gateway doctor`,
    )
    .action(async ({ store, json }: StoreOptions, doctor: Command) => {
      const command = addAllOptions(new Command('serve'), parts).copyInheritedSettings(doctor);
      command.parse(['--store', store], { from: 'user' });
      await checkServe({ command, parts, json });
    });
}

/**
 * Checks a machine and the options of `gateway serve`, and prints what is found.
 *
 * @throws CommandError when the gateway could not run
 */
export async function checkServe(checked: Checked): Promise<void> {
  const checks = [...CHECKS, ...(await PART_CHECKS.load()).flat().map(ofPart)];
  const diagnoses = await diagnose({ settings: readSettings(checked), machine: THIS_MACHINE }, checks);
  print(checked.json ? JSON.stringify(diagnoses, null, 2) : describe(diagnoses));
  const errors = diagnoses.flatMap(({ faults }) => faults.filter(({ level }) => level === 'error'));
  if (errors.length > 0)
    throw new CommandError(
      `the gateway cannot run with these settings: ${errors.length} of the checks failed`,
    );
}

function readSettings({ command, parts }: Checked): Settings {
  const options = command.opts<ServeOptions & PortOptions & { cache?: string; s3Endpoint?: string }>();
  const { store, storeId: identity, storeTimeout: waitMs, s3Endpoint, publicUrl } = options;
  const { metricsPort, metricsHost = '', workers = 1, cache = '' } = options;
  return {
    ...options,
    ...{ cache, s3Endpoint, workers, metricsPort, metricsHost, publicUrl },
    trustsProxies: options.trustedProxy.exist,
    isReachable: isReachable(options),
    isStrict: isStrict(options),
    async readRest() {
      await prepareParts({ command, log: SILENT }, parts);
    },
    async openStore() {
      if (!isRedisAddress(store)) refuseIfOld(store);
      return isRedisAddress(store) || existsSync(store) || identity !== undefined
        ? await openNearStore(store, { log: SILENT, identity, waitMs })
        : undefined;
    },
  };
}

function describe(diagnoses: readonly Diagnosis[]): string {
  return diagnoses
    .flatMap(({ check, description, faults }) =>
      faults.length === 0
        ? [`ok       ${check}: ${description}`]
        : faults.map(
            ({ level, problem, advice }) => `${level.padEnd(7)}  ${check}: ${problem}\n         → ${advice}`,
          ),
    )
    .join('\n');
}
