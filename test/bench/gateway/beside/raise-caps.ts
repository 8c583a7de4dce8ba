// Loaded before the gateway: raises the caps of the free tier so far that a bench cannot reach them, and counts no work against a budget.
import { WORK } from '../../../../gateway/http/work.ts';
import { TIERS } from '../../../../gateway/access/account.ts';

Object.assign(TIERS.free.limits ?? {}, { minute: 1e9, day: 1e9 });
for (const kind of Object.keys(WORK)) Object.assign(WORK, { [kind]: 0 });
