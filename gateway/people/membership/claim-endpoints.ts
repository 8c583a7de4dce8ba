import { type BadAttempts, networkOf } from '../../access/attempts.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { accountById } from '../../store/accounts.ts';
import { transact } from '../../store/records.ts';
import { findHolder } from '../accounts/find-holder.ts';
import { explainOutcome, type MailServices, sendOnRequest } from '../mail/send-on-request.ts';
import { type FormServices, handleForm, respondWith } from '../web/form-endpoint.ts';
import { INVALID_EMAIL } from '../web/form-error.tsx';
import { readPublicEmail } from '../web/form.ts';
import {
  CLAIM,
  CLAIM_CODE,
  claimedPage,
  claimMail,
  claimPage,
  codePage,
  goneClaimPage,
} from './claim-pages.tsx';
import { beginClaim, finishClaim } from './claim.ts';

/** What the claim pages need. */
export interface ClaimServices extends MailServices, FormServices {
  /** Counts keys that do not work. */
  badAttempts: BadAttempts;
  /** ms since 1970. */
  now: () => number;
}

const ACCOUNT_ID = /^[0-9a-f-]{36}$/;

const NO_KEY = {
  status: 400,
  message: 'This key does not work. Type one of your keys, as it was shown to you.',
};
const OWN_ADDRESS = {
  status: 400,
  message: 'This is the email address of the account itself: its memberships already count.',
};
const WRONG_CODE = { status: 400, message: 'This code is wrong. Type it as it is in the mail.' };

/**
 * Makes the endpoints where the owner of a key claims a membership under another email address: a form, and a form for the code that was
 * mailed to that address. The second form contains the account's id, so that no page has to contain the key.
 */
export function claimEndpoints(services: ClaimServices): Endpoint[] {
  const { store, log, now, clientAddress, badAttempts } = services;
  const begin = handleForm(services, async (fields, request) => {
    const typed = (fields.get('email') ?? '').trim();
    const account = await findHolder(store, fields.get('key') ?? '', now());
    const to = readPublicEmail(typed);
    if (!account) {
      badAttempts.refuse(clientAddress(request), 'this key does not work');
      return claimPage(typed, NO_KEY);
    }
    if (to === undefined) return claimPage(typed, INVALID_EMAIL);
    if (to === account.email) return claimPage(typed, OWN_ADDRESS);
    const claim = { account: account.id, email: to, now: now() };
    const write = async () => claimMail(to, await beginClaim(store, claim));
    const mail = { form: 'claim', to, client: clientAddress(request), write } as const;
    const outcome = await sendOnRequest(mail, services);
    return outcome.kind === 'sent' ? codePage(account.id) : claimPage(typed, explainOutcome(outcome));
  });
  const finish = handleForm(services, async (fields, request) => {
    const id = fields.get('account') ?? '';
    if (!ACCOUNT_ID.test(id)) return goneClaimPage();
    const network = networkOf(clientAddress(request));
    const outcome = await finishClaim(store, {
      account: id,
      code: fields.get('code') ?? '',
      network,
      now: now(),
    });
    if (outcome === 'wrong') return codePage(id, WRONG_CODE);
    const account = await transact(store, (transaction) => accountById(transaction, id));
    if (outcome === 'gone' || !account) return goneClaimPage();
    log.info('a membership was claimed');
    return claimedPage(account, now());
  });
  return [
    { path: CLAIM, get: respondWith(() => claimPage()), post: begin },
    { path: CLAIM_CODE, post: finish },
  ];
}
