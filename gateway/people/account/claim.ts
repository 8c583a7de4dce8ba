// Claims: an account gets the membership of another email address by a link that is mailed there. The link works only in a browser that is signed in to
// the account, so that nobody can be made to give a membership away by a click.
import { tierAt } from '../../access/account.ts';
import { html } from '../../http/html.ts';
import { accountById, refreshTier } from '../../store/accounts.ts';
import { recordChange } from '../../store/audit.ts';
import type { Mail } from '../mailer.ts';
import { listMemberships, OF_PERSON, ownerOf, putMembership } from '../membership/membership.ts';
import { createLink, findLink, LINK_MINUTES, removeLink, sendOnRequest } from '../visitor-mails.ts';
import * as web from '../web.ts';
import { type AccountPage, BACK, postForm, type Visit } from './visit.ts';

export const CLAIM = '/account/claim';
const CONFIRM = '/account/claim/confirm';
const title = 'Claim a membership';
const GONE: web.FormError = {
  status: 410,
  message: `This link does not work in this account. It works once, within ${LINK_MINUTES} minutes, in a browser that is signed in to the account that asked for it.`,
};

/** A link belongs to the account that asked for it. */
const purposeOf = ({ account }: Visit) => `claim ${account.id}`;

/** Asks for the email address of a membership; with the token of a link, for a confirmation. */
export const claimPage: AccountPage = {
  path: CLAIM,
  async show(visit) {
    const token = visit.typed('token');
    const email = token && (await findLink(visit.store, purposeOf(visit), token));
    if (email) {
      const hidden = html`<input type="hidden" name="token" value="${token}">`;
      const body = html`<p>From now on, the membership of <strong>${email}</strong> belongs to the account of
        <strong>${visit.account.email}</strong>.</p>${postForm(CONFIRM, html`${hidden}${web.submit('Claim the membership')}`)}${BACK}`;
      return { title, body };
    }
    return askForEmail(visit, token ? GONE : undefined);
  },
  forms: {
    async [CLAIM](visit) {
      const { client, services } = visit;
      const to = web.readPublicEmail(visit.typed('email').trim());
      if (to === undefined) return askForEmail(visit, web.INVALID_EMAIL);
      const write = () => writeMail(visit, to);
      const error = await sendOnRequest({ form: 'claim', to, client, write }, services);
      if (error) return askForEmail(visit, error);
      const body = html`<p>We sent a mail to <strong>${to}</strong>. Open the link in it within ${LINK_MINUTES} minutes, in
        this browser.</p>${BACK}`;
      return { title: 'Check your inbox', body };
    },
    async [CONFIRM](visit) {
      const { account, actor, store, services } = visit;
      const token = visit.typed('token');
      const claimed = await store.transaction(async (sql) => {
        const email = await findLink(sql, purposeOf(visit), token);
        if (email === undefined) return undefined;
        await removeLink(sql, token);
        await recordChange(sql, { account: account.id, event: 'membership.claimed', actor });
        const owners = new Set([account.id]);
        for (const membership of await listMemberships(sql, OF_PERSON, ['', email])) {
          owners.add((await ownerOf(sql, membership)) ?? account.id);
          await putMembership(sql, { ...membership, account: account.id });
        }
        for (const owner of owners) await refreshTier(sql, owner);
        return (await accountById(sql, account.id)) ?? account;
      });
      if (!claimed) return askForEmail(visit, GONE);
      services.log.info('a membership was claimed');
      const isPro = tierAt(claimed, store.now()) === 'pro';
      const state = isPro
        ? 'which is Pro now. Your keys do not change.'
        : 'but it is not paid for now. Once it is, your account is Pro.';
      const body = html`<p>The membership belongs to your account, ${state}</p>${BACK}`;
      return { title: 'The membership is yours', body };
    },
  },
};

function askForEmail(visit: Visit, error?: web.FormError): web.Page {
  const field = web.emailField('Email address of the membership', visit.typed('email'));
  const body = html`<p>A membership makes the account with the same email address Pro, unless another account claimed it. If
    yours has another email address, or was claimed, you get a link by mail to its
    address.</p>${postForm(CLAIM, html`${field}${web.submit('Send the link')}`)}${BACK}`;
  return { title, body, error };
}

/** An address without a membership gets a mail too: the page must not reveal it, and the owner of the address should know. */
async function writeMail(visit: Visit, to: string): Promise<Mail> {
  const { account, services } = visit;
  const link = await visit.store.transaction(async (sql) => {
    if ((await listMemberships(sql, OF_PERSON, ['', to])).length === 0) return undefined;
    return `${services.publicUrl()}${CLAIM}?token=${await createLink(sql, purposeOf(visit), to)}`;
  });
  const text = link
    ? `If it was you, open this link in the browser in which you are signed in:

${link}

It works once, within ${LINK_MINUTES} minutes, and moves the membership to that account.`
    : 'However, this email address has no membership. It may have another\naddress, or the platform may not have reported it yet.';
  return {
    to,
    subject: 'Your Game Data Read API membership',
    text: `Someone wants to use the membership of this email address with the Game
Data Read API account of ${account.email}.

${text}

If it was not you, ignore this mail: nothing happens without the link.
`,
  };
}
