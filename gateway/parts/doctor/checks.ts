import { type Check, error, type Fault, messageOf, type Setup } from './check.ts';
import {
  diskCheck,
  limitsCheck,
  permissionsCheck,
  portsCheck,
  readersCheck,
  runtimeCheck,
} from './machine-checks.ts';
import { secretsCheck } from './secrets-check.ts';
import { configurationCheck, dataCheck, mailCheck, proxyCheck, storeCheck } from './settings-checks.ts';

/** All checks, in the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  runtimeCheck,
  configurationCheck,
  permissionsCheck,
  limitsCheck,
  diskCheck,
  readersCheck,
  portsCheck,
  storeCheck,
  secretsCheck,
  dataCheck,
  proxyCheck,
  mailCheck,
];

/** What a check found. */
export interface Diagnosis {
  check: string;
  description: string;
  faults: Fault[];
}

/** Runs all checks, one after the other. A check that throws is reported as an error. */
export async function diagnose(setup: Setup, checks: readonly Check[] = CHECKS): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  for (const check of checks) {
    const { name, description } = check;
    found.push({ check: name, description, faults: await findFaults(check, setup) });
  }
  return found;
}

async function findFaults(check: Check, setup: Setup): Promise<Fault[]> {
  try {
    return await check.find(setup);
  } catch (thrown) {
    return [error(`this check failed: ${messageOf(thrown)}`, 'report it as a bug, with this line')];
  }
}
