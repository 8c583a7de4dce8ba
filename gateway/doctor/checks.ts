import type { Fault, PartCheck } from '../facts/checks.ts';
import { type Check, error, messageOf, type Setup } from './check.ts';
import {
  diskCheck,
  limitsCheck,
  permissionsCheck,
  portsCheck,
  readersCheck,
  runtimeCheck,
} from './machine-checks.ts';
import { configurationCheck, dataCheck, proxyCheck, storeCheck } from './settings-checks.ts';

/** The checks of the core, in the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  runtimeCheck,
  configurationCheck,
  permissionsCheck,
  limitsCheck,
  diskCheck,
  readersCheck,
  portsCheck,
  storeCheck,
  dataCheck,
  proxyCheck,
];

/** Makes a check of the doctor from one of a part. */
export function ofPart({ find, ...check }: PartCheck): Check {
  return { ...check, find: ({ settings }) => find(settings) };
}

/** What a check found. */
export interface Diagnosis {
  check: string;
  description: string;
  faults: Fault[];
}

/** Runs all checks, one after the other. A check that throws is reported as an error. */
export async function diagnose(setup: Setup, checks: readonly Check[]): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const check of checks) {
    const { name, description } = check;
    diagnoses.push({ check: name, description, faults: await findFaults(check, setup) });
  }
  return diagnoses;
}

async function findFaults(check: Check, setup: Setup): Promise<Fault[]> {
  try {
    return await check.find(setup);
  } catch (thrown) {
    return [error(`this check failed: ${messageOf(thrown)}`, 'report it as a bug, with this line')];
  }
}
