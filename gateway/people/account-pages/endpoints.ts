import type { IncomingMessage } from 'node:http';
import { networkOf } from '../../access/attempts.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { readEmail } from '../../store/email.ts';
import { transact } from '../../store/records.ts';
import { findHolder } from '../accounts/find-holder.ts';
import { endSession, type Session } from '../accounts/session.ts';
import { recordEvent } from '../audit/audit-log.ts';
import { MailError } from '../mail/mailer.ts';
import { readToken } from '../mail/one-time-link.ts';
import { explainOutcome, sendOnRequest } from '../mail/send-on-request.ts';
import { deleteAccount } from '../privacy/personal-data.ts';
import { deletionMail } from '../security-mails/security-mail.ts';
import { describeBrowser } from '../web/describe-browser.ts';
import { handleForm, respondWith } from '../web/form-endpoint.ts';
import { type FormError, INVALID_EMAIL } from '../web/form-error.tsx';
import { readPublicEmail } from '../web/form.ts';
import { redirectPage } from '../web/page.tsx';
import { accountFormEndpoint } from './account-form.ts';
import { readAccountState } from './account-state.ts';
import {
  ACCOUNT,
  ACCOUNT_BROWSER_KEY,
  ACCOUNT_DELETE,
  ACCOUNT_ENTER,
  ACCOUNT_KEY,
  ACCOUNT_LEAVE,
} from './addresses.ts';
import { alertForms } from './alert-forms.ts';
import { sendBrowserKey } from './browser-key.ts';
import { clearCookie, readCookie, setCookie } from './cookie.ts';
import { type AccountServices, handleSession, handleSessionForm } from './handle-session.ts';
import { keyForms } from './key-forms.ts';
import { showKey } from './key-page.tsx';
import * as pages from './pages.tsx';
import { readAddressForms } from './read-address-forms.ts';
import { requestForms } from './request-forms.ts';
import { sessionForms } from './session-forms.ts';
import { makeLinkMail, readLink, redeemLink } from './sign-in.ts';

const OTHER_ADDRESS: FormError = {
  status: 400,
  message: 'This is not the email address of the account. Nothing was deleted.',
};

const OTHER_KEY: FormError = { status: 400, message: 'This is not a working key of the account.' };

/** Makes the endpoints of the account page and its forms, of signing in and out, and of deleting the account. */
export function accountEndpoints(services: AccountServices): Endpoint[] {
  const forms = [
    ...keyForms(services),
    ...readAddressForms(services),
    ...requestForms(services),
    ...alertForms(services),
    ...sessionForms(services),
  ];
  const { askForLink, followLink, enter } = signIn(services);
  const { leave, remove } = signOut(services);
  const show = handleSession(services, async (session) =>
    pages.accountPage(await readAccountState(session, services, services.now())),
  );
  return [
    { path: ACCOUNT, get: show, post: askForLink },
    {
      path: ACCOUNT_KEY,
      get: handleSession(services, (session, { url = '' }) => {
        const prefix = new URLSearchParams(url.split('?')[1]).get('prefix') ?? '';
        return showKey(session, prefix, services);
      }),
    },
    { path: ACCOUNT_BROWSER_KEY, get: (request, response) => sendBrowserKey(services, request, response) },
    { path: ACCOUNT_ENTER, get: followLink, post: enter },
    ...forms.map((form) => accountFormEndpoint(services, form)),
    { path: ACCOUNT_LEAVE, post: leave },
    {
      path: ACCOUNT_DELETE,
      get: handleSession(services, (session) => pages.deletePage(session)),
      post: remove,
    },
  ];
}

/** Makes the endpoint that replaces the account page when it is off. */
export function closedAccountEndpoints(): Endpoint[] {
  return [{ path: ACCOUNT, get: respondWith(pages.closedPage) }];
}

/** Signs a visitor in by a link in a mail. The response to the form is the same whether or not the email address has an account. */
function signIn(services: AccountServices) {
  const { store, log, now, publicUrl, clientAddress, badAttempts } = services;
  const refuseDeadLink = (request: IncomingMessage) => {
    badAttempts.refuse(clientAddress(request), 'this link does not work');
    return pages.deadLinkPage();
  };
  return {
    askForLink: handleForm(services, async (fields, request) => {
      const typed = (fields.get('email') ?? '').trim();
      const to = readPublicEmail(typed);
      if (to === undefined) return pages.signInPage(typed, INVALID_EMAIL);
      const key = fields.get('key') ?? '';
      const owner = key === '' ? undefined : await findHolder(store, key, now());
      if (key !== '' && owner?.email !== to) {
        badAttempts.refuse(clientAddress(request), 'this is not a working key of the account');
        return pages.signInPage(typed, OTHER_KEY);
      }
      const write = () => makeLinkMail(store, { to, now: now(), publicUrl: publicUrl() });
      const mail = { form: 'sign-in', to, client: clientAddress(request), owner, write } as const;
      const outcome = await sendOnRequest(mail, services);
      return outcome.kind === 'sent' ? pages.sentPage(to) : pages.signInPage(typed, explainOutcome(outcome));
    }),
    followLink: respondWith(async (request) => {
      const token = readToken(request);
      const email = await readLink(store, token);
      return email === undefined ? refuseDeadLink(request) : pages.enterPage(token, email);
    }),
    enter: handleForm(services, async (fields, request) => {
      const token = await redeemLink(store, {
        token: fields.get('token') ?? '',
        origin: {
          network: networkOf(clientAddress(request)),
          browser: describeBrowser(request.headers['user-agent']),
        },
        replaces: readCookie(request, publicUrl()),
        now: now(),
      });
      if (token === undefined) return refuseDeadLink(request);
      log.info('an account holder signed in');
      return redirectPage(ACCOUNT, setCookie(publicUrl(), token));
    }),
  };
}

/** Mails that the account was deleted: if it was not its holder, nothing else would show it. */
async function mailDeletion({ account, network }: Session, { mailer, log }: AccountServices): Promise<void> {
  try {
    await mailer.send(deletionMail(account.email, network));
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a security mail could not be sent', { failure: error.failure, error: error.message });
  }
}

function signOut(services: AccountServices) {
  const { store, log, publicUrl } = services;
  return {
    leave: handleSessionForm(
      services,
      async ({ token, account, network }) => {
        await transact(store, async (transaction) => {
          await endSession(transaction, token);
          const actor = { by: 'account', network } as const;
          await recordEvent(transaction, { account: account.id, event: 'session.ended', actor });
        });
        return redirectPage(ACCOUNT, clearCookie(publicUrl()));
      },
      { isCounted: false },
    ),
    remove: handleSessionForm(services, async (session, fields) => {
      const { email } = session.account;
      if (readEmail((fields.get('email') ?? '').trim()) !== email)
        return pages.deletePage(session, OTHER_ADDRESS);
      await deleteAccount(store, email);
      await mailDeletion(session, services);
      log.info('an account holder deleted the account');
      return { ...pages.deletedPage(), headers: clearCookie(publicUrl()) };
    }),
  };
}
