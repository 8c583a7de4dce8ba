import { followDist } from '../../../../gateway/data/follow-dist.ts';
import { Vault } from '../../../../gateway/people/alerts/vault.ts';
import { createLog } from '../../../../gateway/http/log.ts';
import { startAlerts } from '../../../../gateway/people/alerts/alerts.ts';
import { openStore } from '../../../../gateway/store/open.ts';

/** Runs alerts in its own process until it is killed. Arguments: the dist/ folder, the store, the lease in ms. */
const [, , dist = '', address = '', lease = ''] = process.argv;
const now = Date.now;
const log = createLog(process.stdout, { now, access: false });
const follower = await followDist(dist, { now, log, interval: 50 });
const store = await openStore(address);
startAlerts({
  follower,
  store,
  log,
  now,
  policy: { isStrict: false },
  vault: new Vault([]),
  publicUrl: () => 'https://api.example.org',
  hasSite: true,
  lease: Number(lease),
  interval: 50,
});
log.info('started');
setInterval(() => {}, 60_000);
