import type { Finding } from '../findings/findings.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf } from '../lib/count-of.ts';

/** Games were not built because of errors that were found. */
export class FoundErrors extends CommandError {
  /** Whether all errors are about the data: then the same data has them again. Otherwise the system or upstream refused something. */
  readonly isOfData: boolean;

  /** @param errors at least one */
  constructor(errors: readonly Finding[], out: string) {
    super(`${countOf(errors.length, 'error')} found; nothing was written to ${out}/`);
    this.isOfData = !errors.some(isOfSystem);
  }
}

/** Whether a finding is about the machine, the installation or upstream, such as a full disk or a network that is down, rather than about the data. */
export function isOfSystem({ check }: Finding): boolean {
  return ['system-limit', 'upstream-file'].includes(check);
}
