import { accountEndpoints } from '../../../gateway/account/endpoints.ts';
import type { Tier } from '../../../gateway/accounts/account.ts';
import { readTrustedProxies } from '../../../gateway/http/client-address.ts';
import { createSmtpMailer } from '../../../gateway/mail/smtp-mailer.ts';
import { issueKey, NOON, startGateway, type TestGateway } from '../harness.ts';
import { startSmtp, type TestSmtp } from '../mail/smtp-server.ts';
import { SAMPLE_GAMES } from '../sample-games.ts';
import { linkIn, PUBLIC_URL } from '../signup/world.ts';
import { lmdbPlace, type StorePlace } from '../store/places.ts';
import { type Browser, type BrowserPage, openBrowser } from './browser.ts';

/** A gateway with account pages, the mail server that it uses, and a clock of its own. */
export interface AccountWorld {
  gateway: TestGateway;
  smtp: TestSmtp;
  place: StorePlace;
  /** Opens a browser; each is on a network of its own. */
  open(): Browser;
  /** Asks for a link, and gives the path that the mail says. */
  askForLink(browser: Browser, email: string): Promise<string>;
  /** Opens an account, and a browser that is signed in to it. */
  signIn(email: string, tier?: Tier): Promise<{ browser: Browser; page: BrowserPage; key: string }>;
  stop(): Promise<void>;
}

/** Starts a gateway with account pages, which believes one proxy. Webhooks may go to this machine. */
export async function startAccounts(makePlace = lmdbPlace): Promise<AccountWorld> {
  const place = await makePlace();
  const smtp = await startSmtp();
  const mailer = createSmtpMailer(smtp.url, 'Game Data <keys@example.org>');
  const clientAddress = readTrustedProxies('1');
  let now = () => NOON;
  const gateway = await startGateway(
    SAMPLE_GAMES,
    NOON,
    () => place.open(() => now()),
    (parts) =>
      accountEndpoints({
        ...parts,
        mailer,
        clientAddress,
        publicUrl: () => PUBLIC_URL,
        policy: { isProduction: false },
        hasClaims: true,
      }),
  );
  now = () => gateway.clock.now;
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
    gateway,
    smtp,
    place,
    open,
    askForLink,
    async signIn(email, tier = 'free') {
      const key = await issueKey(gateway.store, tier, email);
      const browser = open();
      const offer = await browser.get(await askForLink(browser, email));
      return { browser, page: await browser.submit(offer, '/account/enter'), key };
    },
    async stop() {
      await gateway.stop();
      await smtp.stop();
      await place.remove();
    },
  };
}
