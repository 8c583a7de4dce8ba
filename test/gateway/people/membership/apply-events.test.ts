import * as assert from 'uvu/assert';
import { type Account, type Grant, tierAt } from '../../../../gateway/access/account.ts';
import { accountByEmail, grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import { PLATFORM } from '../../../../gateway/people/audit/audit-event.ts';
import * as apply from '../../../../gateway/people/membership/apply-events.ts';
import { beginClaim, CLAIM_MS, finishClaim } from '../../../../gateway/people/membership/claim.ts';
import type { MembershipEvent } from '../../../../gateway/people/membership/membership.ts';
import { deleteAccount, exportAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { findKey } from '../../../../gateway/store/keys.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import { issueKey } from '../../../support/issue-key.ts';
import { recordsIn } from '../../../support/store-content.ts';
import { onEachStore } from '../../store/on-each-store.ts';

const NOW = Date.parse('2030-06-01T12:00:00Z');
const CHARGED = '2030-06-01T08:00:00.000Z';
const PAID = '2030-07-01T00:00:00.000Z';
const GRACE = '2030-07-08T00:00:00.000Z';
const ADA = 'ada@example.org';
const OTHER = 'lovelace@example.com';

function applyEvents(
  store: Store,
  platform: string,
  events: readonly [MembershipEvent, ...MembershipEvent[]],
  commit = true,
): Promise<apply.Outcome> {
  return apply.applyEvents(store, platform, events, { commit, actor: PLATFORM, now: NOW });
}

onEachStore(
  'memberships',
  () => NOW,
  (test) => {
    test('a membership waits for the account with its email address', async ({ store }) => {
      const outcome = await applyEvents(store, 'patreon', [paid()]);
      assert.equal(outcome, { before: null, after: GRACE, hasAccount: false });
      assert.equal(await grantBy(store, await issue(store, ADA)), { tier: 'pro', pro_until: GRACE });
      assert.equal(await grantBy(store, await issue(store, OTHER)), { tier: 'free', pro_until: null });
    });

    test('an account and its membership that are created at the same time belong together', async ({
      store,
    }) => {
      const names = Array.from({ length: 8 }, (_, n) => `person-${n}@example.org`);
      const hashes = await Promise.all(
        names.map(async (email, n) => {
          const event = paid({ member: String(n), email });
          const [hash] = await Promise.all([issue(store, email), applyEvents(store, 'patreon', [event])]);
          return hash;
        }),
      );
      for (const hash of hashes) assert.is((await grantBy(store, hash)).pro_until, GRACE);
    });

    test('simultaneous webhooks are all accepted', async ({ store }) => {
      await issue(store, ADA);
      await Promise.all(
        Array.from({ length: 6 }, (_, month) =>
          applyEvents(store, 'ko-fi', [
            paid({
              id: String(month),
              charged_at: `2030-0${month + 1}-01T00:00:00.000Z`,
              grace_until: `2030-0${month + 2}-08T00:00:00.000Z`,
            }),
          ]),
        ),
      );
      assert.is((await accountOf(store, ADA)).pro_until, '2030-07-08T00:00:00.000Z');
    });

    test('the better of the operator’s grant and the membership counts', async ({ store }) => {
      await issue(store, ADA);
      await applyEvents(store, 'patreon', [paid()]);
      const given: [Grant, Grant][] = [
        [
          { tier: 'pro', pro_until: '2030-06-15T00:00:00.000Z' },
          { tier: 'pro', pro_until: GRACE },
        ],
        [
          { tier: 'pro', pro_until: '2031-01-01T00:00:00.000Z' },
          { tier: 'pro', pro_until: '2031-01-01T00:00:00.000Z' },
        ],
        [
          { tier: 'free', pro_until: null },
          { tier: 'pro', pro_until: GRACE },
        ],
        [
          { tier: 'pro', pro_until: null },
          { tier: 'pro', pro_until: null },
        ],
      ];
      for (const [grant, expected] of given) {
        await grantTier(store, ADA, grant);
        assert.equal(pickGrant(await accountOf(store, ADA)), expected);
      }
      await grantTier(store, ADA, { tier: 'pro', pro_until: '2030-06-15T00:00:00.000Z' });
      await applyEvents(store, 'patreon', [paid({ id: '2', standing: 'revoked' })]);
      assert.is((await accountOf(store, ADA)).pro_until, '2030-06-15T00:00:00.000Z');
    });

    test('memberships of two platforms count independently', async ({ store }) => {
      await issue(store, ADA);
      await applyEvents(store, 'patreon', [paid()]);
      await applyEvents(store, 'ko-fi', [paid({ grace_until: '2030-08-01T00:00:00.000Z' })]);
      assert.is((await accountOf(store, ADA)).pro_until, '2030-08-01T00:00:00.000Z');
      await applyEvents(store, 'ko-fi', [paid({ id: '2', standing: 'revoked' })]);
      assert.is((await accountOf(store, ADA)).pro_until, GRACE);
    });

    test('a dry run reports the same outcome, and changes nothing', async ({ store }) => {
      await issue(store, ADA);
      const outcome = await applyEvents(store, 'patreon', [paid()], false);
      assert.equal(outcome, { before: null, after: GRACE, hasAccount: true });
      assert.is((await accountOf(store, ADA)).tier, 'free');
      assert.equal(await applyEvents(store, 'patreon', [paid()]), outcome);
    });

    test('a member who was never charged is not stored', async ({ store }) => {
      const free = { member: '1', charged_at: null, standing: 'cancelled' } as const;
      const { paid_until: _, grace_until: __, ...event } = paid(free);
      assert.equal(await applyEvents(store, 'patreon', [event]), {
        before: null,
        after: null,
        hasAccount: false,
      });
      assert.is(await exportAccount(store, ADA), undefined);
    });

    test('a membership moves to another account when its email address changes', async ({ store }) => {
      await issue(store, ADA);
      await issue(store, OTHER);
      await applyEvents(store, 'patreon', [paid()]);
      await applyEvents(store, 'patreon', [paid({ id: '2', email: OTHER })]);
      assert.is((await accountOf(store, ADA)).tier, 'free');
      assert.is((await accountOf(store, OTHER)).pro_until, GRACE);
    });

    test('deleting an account also deletes its memberships, and those that wait for its email address', async ({
      place,
      store,
    }) => {
      await issue(store, ADA);
      await applyEvents(store, 'patreon', [paid({ member: 'member-of-ada' })]);
      await applyEvents(store, 'patreon', [paid({ member: 'other', email: OTHER })]);
      await claim(store, ADA, OTHER);
      const exported = JSON.stringify(await exportAccount(store, ADA));
      for (const name of ['member-of-ada', OTHER, PAID]) assert.match(exported, name);
      assert.is(await deleteAccount(store, ADA), true);
      assert.is(await exportAccount(store, ADA), undefined);
      assert.is(await exportAccount(store, OTHER), undefined);
      const left = names(await recordsIn(store, ''));
      assert.equal(left, []);

      await applyEvents(store, 'patreon', [paid()]);
      assert.match(JSON.stringify(await exportAccount(store, ADA)), /"account":null.*719414/);
      assert.is(await deleteAccount(store, ADA), true);
      assert.is(await deleteAccount(store, ADA), false);
      assert.equal(await grantBy(store, await issue(store, ADA)), { tier: 'free', pro_until: null });
      assert.ok(place);
    });

    test('a mailed code gives an account the memberships of another email address', async ({ store }) => {
      await issue(store, ADA);
      await applyEvents(store, 'patreon', [paid({ email: OTHER })]);
      assert.is(await claim(store, ADA, OTHER), 'claimed');
      assert.is((await accountOf(store, ADA)).pro_until, GRACE);
      // A later payment counts for the account that claimed, not for the one with the email address.
      await issue(store, OTHER);
      assert.is((await accountOf(store, OTHER)).tier, 'free');
      await applyEvents(store, 'patreon', [paid({ id: '2', email: OTHER, standing: 'revoked' })]);
      assert.is((await accountOf(store, ADA)).tier, 'free');
    });

    test('a claim moves a membership from its previous account', async ({ store }) => {
      await issue(store, ADA);
      await issue(store, OTHER);
      await applyEvents(store, 'patreon', [paid({ email: OTHER })]);
      assert.is(await claim(store, ADA, OTHER), 'claimed');
      assert.equal([await tierOf(store, ADA), await tierOf(store, OTHER)], ['pro', 'free']);
      await deleteAccount(store, OTHER);
      assert.is(await tierOf(store, ADA), 'free');
    });

    test('a code works once, for its account, for a limited time', async ({ store }) => {
      await issue(store, ADA);
      await issue(store, 'eve@example.org');
      await applyEvents(store, 'patreon', [paid({ email: OTHER })]);
      const [ada, eve] = [(await accountOf(store, ADA)).id, (await accountOf(store, 'eve@example.org')).id];
      const begin = async () => (await beginClaim(store, { account: ada, email: OTHER, now: NOW })) ?? '';
      const old = await begin();
      const code = await begin();
      const finish = (account: string, typed: string, now = NOW) =>
        finishClaim(store, { account, code: typed, now });
      assert.is(await finish(eve, code), 'gone');
      assert.is(await finish(ada, old), 'wrong');
      assert.is(await finish(ada, code, NOW + CLAIM_MS), 'gone');
      assert.is(await finish(ada, ` ${code.slice(0, 4).toUpperCase()}-${code.slice(4)}`), 'claimed');
      assert.is(await finish(ada, code), 'gone');
      assert.is(await tierOf(store, 'eve@example.org'), 'free');
    });

    test('a claim of a deleted account moves no membership', async ({ store }) => {
      await issue(store, ADA);
      await issue(store, OTHER);
      await applyEvents(store, 'patreon', [paid({ email: OTHER })]);
      const { id: account } = await accountOf(store, ADA);
      await deleteAccount(store, ADA);
      const code = (await beginClaim(store, { account, email: OTHER, now: NOW })) ?? '';
      assert.is(await finishClaim(store, { account, code, now: NOW }), 'gone');
      assert.is(await tierOf(store, OTHER), 'pro');
    });

    test('a code allows five attempts, also simultaneous ones', async ({ store }) => {
      await issue(store, ADA);
      await applyEvents(store, 'patreon', [paid({ email: OTHER })]);
      const { id } = await accountOf(store, ADA);
      const code = (await beginClaim(store, { account: id, email: OTHER, now: NOW })) ?? '';
      const guesses = await Promise.all(
        Array.from({ length: 12 }, () => finishClaim(store, { account: id, code: 'aaaaaaaa', now: NOW })),
      );
      assert.is(guesses.filter((outcome) => outcome === 'wrong').length, 5);
      assert.is(await finishClaim(store, { account: id, code, now: NOW }), 'gone');
      assert.is(await tierOf(store, ADA), 'free');
    });

    test('an email address without a membership gets no code, and no code finishes its claim', async ({
      store,
    }) => {
      await issue(store, ADA);
      const { id } = await accountOf(store, ADA);
      assert.is(await beginClaim(store, { account: id, email: OTHER, now: NOW }), undefined);
      assert.is(await finishClaim(store, { account: id, code: '', now: NOW }), 'wrong');
    });
  },
);

function paid(changes: Partial<MembershipEvent> = {}): MembershipEvent {
  return {
    name: 'update',
    id: '1',
    member: '719414',
    email: ADA,
    charged_at: CHARGED,
    standing: 'active',
    paid_until: PAID,
    grace_until: GRACE,
    ...changes,
  };
}

/** Issues a key. @returns the SHA-256 of the key */
async function issue(store: Store, email: string): Promise<string> {
  return (await issueKey(store, { email })).key.hash;
}

async function claim(store: Store, email: string, other: string) {
  const { id: account } = await accountOf(store, email);
  const code = (await beginClaim(store, { account, email: other, now: NOW })) ?? '';
  return await finishClaim(store, { account, code, now: NOW });
}

async function accountOf(store: Store, email: string): Promise<Account> {
  const found = await accountByEmail(store, email);
  assert.ok(found);
  return found.account;
}

async function tierOf(store: Store, email: string) {
  return tierAt(await accountOf(store, email), NOW);
}

async function grantBy(store: Store, hash: string): Promise<Grant> {
  const issued = await findKey(store, hash);
  assert.ok(issued);
  return pickGrant(issued.account);
}

function pickGrant({ tier, pro_until }: Grant): Grant {
  return { tier, pro_until };
}

function names(records: [string, string][]): string[] {
  return records.map(([name]) => name);
}
