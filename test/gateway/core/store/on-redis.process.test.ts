// Runs on Redis the tests that run on each store. The files themselves run on SQLITE.
import './defer-tests.ts';
import './use-redis.ts';
import '../../shared/allowances/allowances.test.ts';
import '../../parts/people/account-pages/keys.test.ts';
import '../../parts/people/account-pages/sessions.test.ts';
import '../../parts/people/account-pages/sign-in.test.ts';
import '../accounts/accounts.test.ts';
import '../../parts/people/audit/audit-log.test.ts';
import '../../parts/people/game-requests/announce.test.ts';
import '../../parts/people/game-requests/requests.test.ts';
import '../../parts/people/membership/apply-events.test.ts';
import '../../parts/people/signup/links.test.ts';
import '../../parts/backup/migrate.test.ts';

const { exec } = await import('uvu');
await exec();
