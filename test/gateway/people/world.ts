import type { Tier } from '../../../gateway/access/account.ts';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { createSmtpMailer } from '../../../gateway/people/mailer.ts';
import { readPlatforms } from '../../../gateway/people/membership/webhooks.ts';
import { peopleEndpoints } from '../../../gateway/people/people.ts';
import { issueKey, NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { sqlitePlace } from '../store/engines.ts';
import { type Browser, type BrowserPage, keyOn, openBrowser } from './browser.ts';
import { PLATFORM_SETTINGS } from './payloads.ts';
import { type RefuseRecipient, startSmtp, type TestSmtp } from './smtp-server.ts';

/** A gateway with everything for people, its mail server, and its visitors. */
export interface World {
  gateway: TestGateway;
  smtp: TestSmtp;
  /** The folder of its store. */
  folder: string;
  get(path: string): Promise<BrowserPage>;
  /** Sends a form, from a /24 of its own unless the headers name one. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<BrowserPage>;
  /** Requests a key, and returns the path of the link in the mail. */
  askForKey(email: string): Promise<string>;
  /** Signs up, and returns the key. */
  signUp(email: string): Promise<string>;
  /** Opens a browser. Each has a /24 of its own unless a network is given. */
  open(network?: string, userAgent?: string): Browser;
  /** Requests to sign in, and returns the path of the link in the mail. */
  askToEnter(browser: Browser, email: string): Promise<string>;
  /** Signs a browser in to an existing account. @returns the account page */
  enter(browser: Browser, email: string): Promise<BrowserPage>;
  /** Creates an account, and opens a browser that is signed in to it. */
  signIn(email: string, tier?: Tier): Promise<{ browser: Browser; page: BrowserPage; key: string }>;
  stop(): Promise<void>;
}

/** The public URL of the gateway, which differs from the address that it listens on. */
export const PUBLIC_URL = 'https://api.example.org';
/** The header that names the client, as set by the trusted proxy. */
export const FORWARDED = 'X-Forwarded-For';

/** Starts a gateway that sends mails and trusts one proxy. Webhooks of accounts may be sent to this machine. */
/** @param refuseRecipient which recipients the mail server refuses */
export async function startWorld(refuseRecipient?: RefuseRecipient): Promise<World> {
  const place = await sqlitePlace();
  const smtp = await startSmtp(refuseRecipient);
  const mailer = createSmtpMailer(smtp.url, 'Game Data <keys@example.org>');
  const { clientAddress } = readTrustedProxies('1');
  let now = () => NOON;
  const gateway = await startGateway(SAMPLE_GAMES, {
    openStore: () => place.open({ now: () => now() }),
    clientAddress,
    endpoints: (parts) =>
      peopleEndpoints({
        ...parts,
        mailer,
        signupMailer: mailer,
        accountMailer: mailer,
        publicUrl: () => PUBLIC_URL,
        platforms: readPlatforms(PLATFORM_SETTINGS),
        joinLinks: [{ name: 'Ko-fi', address: 'https://ko-fi.com/x' }],
        policy: { isStrict: false },
      }),
  });
  now = () => gateway.clock.now;
  let people = 0;
  const open: World['open'] = (network, userAgent) => {
    people += 1;
    return openBrowser(gateway.address, network ?? `10.${people >> 8}.${people & 255}.1`, userAgent);
  };
  const ask = async (browser: Browser, path: string, email: string) => {
    const { status, text } = await browser.post(path, { email });
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return linkIn(smtp.mails.at(-1)?.text ?? '');
  };
  const world: Omit<World, 'signIn' | 'signUp'> = {
    gateway,
    smtp,
    open,
    folder: place.address,
    get: (path) => open().get(path),
    post: (path, fields, headers) => open().post(path, fields, headers),
    askForKey: (email) => ask(open(), '/signup', email),
    askToEnter: (browser, email) => ask(browser, '/account', email),
    async enter(browser, email) {
      const offer = await browser.get(await world.askToEnter(browser, email));
      return await browser.submit('/account/enter', {}, offer);
    },
    async stop() {
      await gateway.stop();
      await smtp.stop();
      await place.remove();
    },
  };
  return {
    ...world,
    async signUp(email) {
      const token = tokenIn(await world.askForKey(email));
      return keyOn(await world.post('/signup/key', { token })) ?? '';
    },
    async signIn(email, tier = 'free') {
      const key = await issueKey(gateway.store, tier, email);
      const browser = open();
      return { browser, page: await world.enter(browser, email), key };
    },
  };
}

/** Returns the path and query of the link in a mail. */
export function linkIn(text: string): string {
  const [link = ''] = /^https:\/\/\S+$/m.exec(text) ?? [];
  if (!link.startsWith(`${PUBLIC_URL}/`)) throw new Error(`no link to the gateway in: ${text}`);
  return link.slice(PUBLIC_URL.length);
}

/** Returns the token in a link. */
export function tokenIn(link: string): string {
  return new URL(link, PUBLIC_URL).searchParams.get('token') ?? '';
}
