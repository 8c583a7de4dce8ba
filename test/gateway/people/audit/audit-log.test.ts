import * as assert from 'uvu/assert';
import { addNewKey, revoke } from '../../../../gateway/store/accounts/accounts.ts';
import type { Actor } from '../../../../gateway/store/accounts/ports.ts';
import { transact } from '../../../../gateway/store/transaction.ts';
import { migrateStore } from '../../../../gateway/backup/migrate.ts';
import { accountByEmail, grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import { type EventName, PLATFORM } from '../../../../gateway/people/audit/audit-event.ts';
import {
  listEvents,
  MAX_EVENTS,
  readEvents,
  recordEvent,
} from '../../../../gateway/people/audit/audit-log.ts';
import { applyEvents } from '../../../../gateway/people/membership/apply-events.ts';
import { deleteAccount, exportAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { rotate } from '../../../../gateway/key-terms/shared/key-changes.ts';
import { issueKey, NOON } from '../../../support/harness.ts';
import { onEachStore, type StoreContext } from '../../store/on-each-store.ts';
import { sqlitePlace } from '../../store/places.ts';

const DAY = 86_400_000;
const HERE: Actor = { by: 'account', network: '192.0.2.1' };

onEachStore(
  'the audit log',
  () => NOON,
  (test) => {
    const record = (store: StoreContext['store'], event: EventName, now = NOON, account = 'a') =>
      transact(store, (transaction) => recordEvent(transaction, { account, event, actor: HERE, now }));

    test('keeps the events of an account for 90 days, the newest first', async ({ store }) => {
      await record(store, 'webhook.set', NOON - 90 * DAY);
      await record(store, 'feed.renewed', NOON - 1);
      await record(store, 'session.begun');
      await record(store, 'session.begun', NOON, 'b');
      const events = await readEvents(store, 'a', NOON);
      assert.equal(
        events.map(({ event, by, network }) => [event, by, network]),
        [
          ['session.begun', 'account', '192.0.2.1'],
          ['feed.renewed', 'account', '192.0.2.1'],
        ],
      );
      assert.equal(
        (await listEvents(store, NOON)).map(([id, { length }]) => [id, length]),
        [
          ['a', 2],
          ['b', 1],
        ],
      );
      assert.equal(await readEvents(store, 'a', NOON + 90 * DAY), []);
    });

    test('is bounded, and nobody can push an event out of it by repeating another', async ({ store }) => {
      await record(store, 'session.begun-elsewhere', NOON);
      for (let count = 0; count < MAX_EVENTS + 20; count++) await record(store, 'webhook.set', NOON + count);
      const events = await readEvents(store, 'a', NOON);
      assert.is(events.length, MAX_EVENTS);
      assert.is(events.at(-1)?.event, 'session.begun-elsewhere');
      assert.is(Date.parse(events[0]?.at ?? ''), NOON + MAX_EVENTS + 19, 'the newest one is there');
    });

    test('has every event of several that happen at the same time', async ({ store }) => {
      await Promise.all(Array.from({ length: 10 }, () => record(store, 'feed.renewed')));
      assert.is((await readEvents(store, 'a', NOON)).length, 10);
    });

    test('is copied with its expiry when the store is migrated', async ({ store }) => {
      await record(store, 'key.made');
      const place = await sqlitePlace();
      const target = await place.open(() => NOON);
      await migrateStore({ from: store, to: target, now: () => NOON });
      assert.equal(await readEvents(target, 'a', NOON), await readEvents(store, 'a', NOON));
      const [log] = await target.dump({ after: 'audit:', limit: 1 });
      assert.equal([log?.name, log?.expires], ['audit:a', NOON + 90 * DAY]);
      await target.close();
      await place.remove();
    });

    test('has what happens to keys, tiers and memberships, and goes with the account', async ({ store }) => {
      const email = 'ada@example.org';
      await issueKey(store, 'free', email);
      const found = await accountByEmail(store, email);
      const id = found?.account.id ?? '';
      const first = found?.keys[0]?.prefix ?? '';
      const holder = { by: 'account holder', network: '192.0.2.7', now: NOON } as const;
      const [second, third] = await transact(store, async (transaction) => {
        const made = await addNewKey(transaction, { email, ...holder });
        const rotation = await rotate(transaction, made.issued.key.prefix, { keep: 0, ...holder });
        await revoke(transaction, first, { by: 'key holder', network: '198.51.100.1', now: NOON });
        return [made.issued.key.prefix, rotation?.issued.key.prefix];
      });
      await grantTier(store, email, { tier: 'pro', pro_until: null }, NOON);
      await grantTier(store, email, { tier: 'free', pro_until: null }, NOON);
      const event = { name: 'paid', id: '1', member: 'm', email, standing: 'active' } as const;
      const times = { charged_at: '2026-05-01T00:00:00.000Z', paid_until: '2030-07-01T00:00:00.000Z' };
      await applyEvents(store, 'patreon', [{ ...event, ...times }], { actor: PLATFORM, now: NOON });
      const events = (await readEvents(store, id, NOON)).reverse();
      assert.equal(
        events.map(({ event: name, about, by, network }) => [name, about, by, network]),
        [
          ['key.made', first, 'operator', null],
          ['key.made', second, 'account', '192.0.2.7'],
          ['key.rotated', `${second} by ${third}`, 'account', '192.0.2.7'],
          ['key.revoked', first, 'key-holder', '198.51.100.1'],
          ['tier.granted', 'pro', 'operator', null],
          ['tier.granted', 'free', 'operator', null],
          ['membership.changed', 'pro until 2030-07-01T00:00:00.000Z', 'platform', null],
        ].filter(([name]) => name !== undefined),
      );
      const kept = (await exportAccount(store, email)) as { events: unknown[] };
      assert.is(kept.events.length, events.length);
      await deleteAccount(store, email);
      for (const prefix of [
        'audit:',
        'security-notice-state:',
        'known-networks:',
        'account-sessions:',
        'session:',
      ])
        assert.equal(await store.list(prefix, { after: '', limit: 10 }), [], prefix);
    });
  },
);
