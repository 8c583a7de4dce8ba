import type { Tier } from '../../../../gateway/access/account.ts';
import { accountEndpoints } from '../../../../gateway/people/account-pages/endpoints.ts';
import { issueKey } from '../../../support/harness.ts';
import { type Place, sqlitePlace } from '../../store/engines.ts';
import { type MailWorld, startMailWorld } from '../mail/world.ts';
import { linkIn } from '../signup/world.ts';
import { type Browser, type BrowserPage, openBrowser } from './browser.ts';

/** A gateway with account pages. */
export interface AccountWorld extends MailWorld {
  /** Opens a browser. Each has a /24 of its own unless a network is given. */
  open(network?: string, userAgent?: string): Browser;
  /** Requests a link, and returns its path from the mail. */
  askForLink(browser: Browser, email: string): Promise<string>;
  /** Creates an account, and opens a browser that is signed in to it. */
  signIn(email: string, tier?: Tier): Promise<{ browser: Browser; page: BrowserPage; key: string }>;
  /** Signs a browser in to an existing account. @returns the account page */
  enter(browser: Browser, email: string): Promise<BrowserPage>;
}

const JOIN_LINKS = [{ name: 'Ko-fi', address: 'https://ko-fi.com/x' }];

/** Starts a gateway with account pages, which trusts one proxy. Webhooks may be sent to this machine. */
export async function startAccounts(
  makePlace: () => Place | Promise<Place> = sqlitePlace,
): Promise<AccountWorld> {
  const world = await startMailWorld(
    (parts) =>
      accountEndpoints({
        ...parts,
        policy: { isStrict: false },
        hasClaims: true,
        joinLinks: JOIN_LINKS,
      }),
    { makePlace },
  );
  const { gateway, smtp } = world;
  let people = 0;
  const open: AccountWorld['open'] = (network, userAgent) => {
    people += 1;
    return openBrowser(gateway.address, network ?? `10.${128 + (people >> 8)}.${people & 255}.1`, userAgent);
  };
  const askForLink = async (browser: Browser, email: string) => {
    const { status, text } = await browser.post('/account', { email });
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return linkIn(smtp.mails.at(-1)?.text ?? '');
  };
  const enter = async (browser: Browser, email: string) =>
    await browser.submit(await browser.get(await askForLink(browser, email)), '/account/enter');
  return {
    ...world,
    open,
    askForLink,
    enter,
    async signIn(email, tier = 'free') {
      const key = await issueKey(gateway.store, tier, email);
      const browser = open();
      return { browser, page: await enter(browser, email), key };
    },
  };
}
