import { accountEndpoints } from '../../../../gateway/people/account-pages/endpoints.ts';
import { Vault } from '../../../../gateway/keys/vault.ts';
import type { Tier } from '../../../../gateway/plans/account.ts';
import { issueKey } from '../../../support/harness.ts';
import { lmdbPlace } from '../../store/places.ts';
import { type MailWorld, startMailWorld } from '../mail/world.ts';
import { linkIn } from '../signup/world.ts';
import { type Browser, type BrowserPage, openBrowser } from './browser.ts';

/** A gateway with account pages. */
export interface AccountWorld extends MailWorld {
  /** Opens a browser. Each has its own network. */
  open(): Browser;
  /** Requests a link, and returns its path from the mail. */
  askForLink(browser: Browser, email: string): Promise<string>;
  /** Creates an account, and opens a browser that is signed in to it. */
  signIn(email: string, tier?: Tier): Promise<{ browser: Browser; page: BrowserPage; key: string }>;
}

/** Starts a gateway with account pages, which trusts one proxy. Webhooks may be sent to this machine. */
export async function startAccounts(makePlace = lmdbPlace): Promise<AccountWorld> {
  const world = await startMailWorld(
    (parts) =>
      accountEndpoints({ ...parts, policy: { isStrict: false }, vault: new Vault([]), hasClaims: true }),
    { makePlace },
  );
  const { gateway, smtp } = world;
  let people = 0;
  const open = () => {
    people += 1;
    return openBrowser(gateway.address, `10.1.${people >> 8}.${people & 255}`);
  };
  const askForLink = async (browser: Browser, email: string) => {
    const { status, text } = await browser.post('/account', { email });
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return linkIn(smtp.mails.at(-1)?.text ?? '');
  };
  return {
    ...world,
    open,
    askForLink,
    async signIn(email, tier = 'free') {
      const key = await issueKey(gateway.store, tier, email);
      const browser = open();
      const offer = await browser.get(await askForLink(browser, email));
      return { browser, page: await browser.submit(offer, '/account/enter'), key };
    },
  };
}
