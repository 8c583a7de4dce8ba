import type { Core, RunningPart } from '../commands/door.ts';
import { KeyCache } from './key-cache.ts';
import { OutageMeter } from './outage-meter.ts';
import { Readiness } from './readiness.ts';

/** Makes the services that a gateway uses while its store does not respond. */
export function makeOutages({ store, now, log }: Pick<Core, 'store' | 'now' | 'log'>) {
  const readiness = new Readiness({ store });
  return {
    makeKeys: (source) => new KeyCache({ source }),
    checkStore: () => readiness.check(),
    meter: new OutageMeter({ store, now, log }),
  } satisfies RunningPart;
}
