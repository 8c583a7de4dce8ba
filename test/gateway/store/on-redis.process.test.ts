// Runs on Redis the tests that run on each store. The files themselves run on SQLITE.
import './defer-tests.ts';
import './use-redis.ts';
import '../allowances/allowances.test.ts';
import '../people/account-pages/keys.test.ts';
import '../people/account-pages/sessions.test.ts';
import '../people/account-pages/sign-in.test.ts';
import './accounts/accounts.test.ts';
import '../people/audit/audit-log.test.ts';
import '../people/game-requests/announce.test.ts';
import '../people/game-requests/requests.test.ts';
import '../people/membership/apply-events.test.ts';
import '../people/signup/links.test.ts';
import '../backup/migrate.test.ts';

const { exec } = await import('uvu');
await exec();
