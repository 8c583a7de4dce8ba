import { followDist } from '../../../../gateway/data/follow-dist.ts';
import { createLog } from '../../../../gateway/http/log.ts';
import { startAlerts } from '../../../../gateway/people/alerts/deliver.ts';
import { openStore } from '../../../../gateway/store/open.ts';
import { SECRET_KEY } from '../../store/engines.ts';

/** Runs alerts in its own process until it is killed. Arguments: the dist/ folder and the store. */
const [, , dist = '', address = ''] = process.argv;
const now = Date.now;
const log = createLog(process.stdout, { now, access: false });
const follower = await followDist(dist, { now, log, interval: 50 });
const store = await openStore(address, { secretKey: SECRET_KEY });
startAlerts({
  follower,
  store,
  log,
  now,
  policy: { isStrict: false },
  publicUrl: () => 'https://api.example.org',
  hasSite: true,
  interval: 50,
});
log.info('started');
setInterval(() => {}, 60_000);
