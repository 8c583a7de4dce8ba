import type { IncomingMessage } from 'node:http';
import { readEmail } from '../accounts/email.ts';
import { type ClientAddress, networkOf } from '../http/client-address.ts';
import type { Endpoint, EndpointHandler } from '../http/endpoint.ts';
import { readForm } from '../http/form.ts';
import { type Page, sendPage } from '../http/page.ts';
import { refuseCrossSite } from '../http/same-site.ts';
import { readLink, redeemLink } from './links.ts';
import { deadLinkPage, formPage, keyPage, offerPage, SIGNUP, SIGNUP_KEY, sentPage } from './pages.ts';
import { requestLink, type SignupOutcome, type SignupServices } from './sign-up.ts';

/** What the pages of sign-up need. */
export interface SignupOptions extends SignupServices {
  clientAddress: ClientAddress;
}

/** The pages where people get keys by e-mail: a form, and the place where the links in mails lead. */
export function signupEndpoints(options: SignupOptions): Endpoint[] {
  const { store, log, now, publicUrl, clientAddress } = options;
  const readOwnForm = async (request: IncomingMessage) => {
    refuseCrossSite(request, publicUrl());
    return await readForm(request);
  };
  return [
    {
      path: SIGNUP,
      get: answerWith(async () => formPage()),
      post: answerWith(async (request) => {
        const typed = ((await readOwnForm(request)).get('email') ?? '').trim();
        const email = readPublicEmail(typed);
        if (email === undefined) return formPage({ status: 400, message: NO_ADDRESS, email: typed });
        return answer(await requestLink(email, networkOf(clientAddress(request)), options), email);
      }),
    },
    {
      path: SIGNUP_KEY,
      get: answerWith(async (request) => {
        const token = new URLSearchParams(request.url?.split('?')[1]).get('token') ?? '';
        const offer = await readLink(store, token, now());
        return offer ? offerPage(token, offer) : deadLinkPage();
      }),
      post: answerWith(async (request) => {
        const form = await readOwnForm(request);
        const choice = { endOthers: form.get('end') === 'others', now: now() };
        const redeemed = await redeemLink(store, form.get('token') ?? '', choice);
        if (!redeemed) return deadLinkPage();
        log.info('a key was issued by e-mail', { key: redeemed.prefix, ended: redeemed.ended.length });
        return keyPage(redeemed, publicUrl());
      }),
    },
  ];
}

const NO_ADDRESS =
  'This is no e-mail address that mail can be sent to. Expected one such as ada@example.org.';
const REFUSED = 'The mail server of this address does not take mail for it. See whether it is spelled right.';
const UNAVAILABLE = 'No mail can be sent right now. Nothing was lost: try again in a few minutes.';
/** When a mail may go through that did not, in seconds. */
const RETRY_SECONDS = 120;

function answer(outcome: SignupOutcome, email: string): Page {
  switch (outcome.kind) {
    case 'sent':
      return sentPage(email);
    case 'refused':
      return formPage({ status: 400, message: REFUSED, email });
    case 'unavailable':
      return formPage({ status: 503, message: UNAVAILABLE, email, retryAfter: RETRY_SECONDS });
    case 'limited':
      return formPage({
        status: 429,
        message: `Too many links were asked for. Try again ${describeWait(outcome.seconds)}.`,
        email,
        retryAfter: outcome.seconds,
      });
  }
}

/** An address that a mail server of the Internet can take mail for: not one of this machine, or of the network it stands in. */
function readPublicEmail(text: string): string | undefined {
  const email = readEmail(text);
  return email?.slice(email.indexOf('@')).includes('.') ? email : undefined;
}

function describeWait(seconds: number): string {
  if (seconds < 120) return `in ${seconds} seconds`;
  return seconds < 7200 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${Math.ceil(seconds / 3600)} hours`;
}

function answerWith(makePage: (request: IncomingMessage) => Promise<Page>): EndpointHandler {
  return async (request, response) => sendPage(request, response, await makePage(request));
}
