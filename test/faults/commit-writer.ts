/** A program for `acknowledged-commits.ts`: issues keys, and revokes some of them, until it gets SIGTERM. It prints a line after each commit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATOR } from '../../gateway/store/audit.ts';
import { issueKey, revokeKey } from '../../gateway/store/keys.ts';
import { openStore } from '../../gateway/store/open.ts';

/** So that there are commits of commands as well. */
const MAX_PAUSE_MS = 600;

const [, , address = '', name] = process.argv;
const store = await openStore(address);
let isOpen = true;
process.on('SIGTERM', () => {
  isOpen = false;
});
for (let number = 0; isOpen; number++) {
  const email = `${name}-${number}@example.org`;
  const { key } = await store.transaction((sql) => issueKey(sql, email, OPERATOR));
  process.stdout.write(`issued ${key}\n`);
  if (number % 3 === 0) {
    await store.transaction((sql) => revokeKey(sql, key.slice(0, 12), OPERATOR));
    process.stdout.write(`revoked ${key}\n`);
  }
  await sleep(Math.random() * MAX_PAUSE_MS);
}
await store.close();
