import type { SMTPServerOptions } from 'smtp-server';
import { readTrustedProxies } from '../../../gateway/http/client-address.ts';
import { createSmtpMailer } from '../../../gateway/mail/smtp-mailer.ts';
import { claimEndpoints } from '../../../gateway/membership/claim-endpoints.ts';
import { signupEndpoints } from '../../../gateway/signup/endpoints.ts';
import { NOON, startGateway, type TestGateway } from '../harness.ts';
import { type Answering, startSmtp, type TestSmtp } from '../mail/smtp-server.ts';
import { SAMPLE_GAMES } from '../sample-games.ts';
import { lmdbPlace, type StorePlace } from '../store/places.ts';

/** A page as a person gets it. */
export interface PageAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** A gateway where people sign up, with the mail server that it uses and a clock of its own. */
export interface SignupWorld {
  gateway: TestGateway;
  smtp: TestSmtp;
  place: StorePlace;
  get(path: string): Promise<PageAnswer>;
  /** Sends a form as its page does. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<PageAnswer>;
  /** Asks for a link for an address, and gives the path that the mail says. */
  askForLink(email: string): Promise<string>;
  stop(): Promise<void>;
}

/** How people reach it; not where it listens. */
export const PUBLIC_URL = 'https://api.example.org';
/** Whom a request comes from, by the one proxy that is believed. */
export const FORWARDED = 'X-Forwarded-For';

/**
 * Starts a gateway where people sign up and claim memberships, which believes one proxy. Each request is of a network of its own, unless it says another.
 *
 * @param options.answering how the mail server answers to addresses
 * @param options.smtpOptions what else the mail server does in its own way
 * @param options.longest how long a mail may take, in ms
 */
export async function startSignup({
  makePlace = lmdbPlace,
  answering,
  smtpOptions,
  longest,
}: {
  makePlace?: () => Promise<StorePlace>;
  answering?: Answering;
  smtpOptions?: SMTPServerOptions;
  longest?: number;
} = {}): Promise<SignupWorld> {
  const place = await makePlace();
  const smtp = await startSmtp(answering, smtpOptions);
  const mailer = createSmtpMailer(smtp.url, 'Game Data <keys@example.org>', longest);
  const clientAddress = readTrustedProxies('1');
  let now = () => NOON;
  const gateway = await startGateway(
    SAMPLE_GAMES,
    NOON,
    () => place.open(() => now()),
    (parts) => {
      const services = { ...parts, mailer, clientAddress, publicUrl: () => PUBLIC_URL };
      return [...signupEndpoints(services), ...claimEndpoints(services)];
    },
  );
  now = () => gateway.clock.now;

  const ask = async (path: string, init?: RequestInit): Promise<PageAnswer> => {
    const response = await fetch(gateway.address + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  let people = 0;
  const post: SignupWorld['post'] = (path, fields, headers = {}) => {
    people += 1;
    const network = `10.0.${people >> 8}.${people & 255}`;
    const body = new URLSearchParams(fields);
    return ask(path, { method: 'POST', headers: { [FORWARDED]: network, ...headers }, body });
  };
  return {
    gateway,
    smtp,
    place,
    get: (path) => ask(path),
    post,
    async askForLink(email) {
      const { status, text } = await post('/signup', { email });
      if (status !== 200) throw new Error(`${status}: ${text}`);
      return linkIn(smtp.mails.at(-1)?.text ?? '');
    },
    async stop() {
      await gateway.stop();
      await smtp.stop();
      await place.remove();
    },
  };
}

/** The path and query of the link in a mail. */
export function linkIn(text: string): string {
  const [link = ''] = /^https:\/\/\S+$/m.exec(text) ?? [];
  if (!link.startsWith(`${PUBLIC_URL}/`)) throw new Error(`no link to the gateway in: ${text}`);
  return link.slice(PUBLIC_URL.length);
}

/** The token in a link. */
export function tokenIn(link: string): string {
  return new URL(link, PUBLIC_URL).searchParams.get('token') ?? '';
}

/** The key on a page; undefined where it shows none. */
export function keyOn(text: string): string | undefined {
  return /gdr_[a-z2-7]{39}/.exec(text)?.[0];
}
