import { claimEndpoints } from '../../../../gateway/people/membership/claim-endpoints.ts';
import { signupEndpoints } from '../../../../gateway/people/signup/endpoints.ts';
import { type MailWorld, type MailWorldOptions, PUBLIC_URL, startMailWorld } from '../mail/world.ts';

/** A page that a visitor received. */
export interface ReceivedPage {
  status: number;
  headers: Headers;
  text: string;
}

/** A gateway with sign-up. */
export interface SignupWorld extends MailWorld {
  get(path: string): Promise<ReceivedPage>;
  /** Sends a form. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<ReceivedPage>;
  /** Requests a link for an email address, and returns its path from the mail. */
  askForLink(email: string): Promise<string>;
}

/** The header that names the client, as set by the trusted proxy. */
export const FORWARDED = 'X-Forwarded-For';

/** Starts a gateway with sign-up and claims of memberships. Each request has a /24 of its own, unless it names one. */
export async function startSignup(options?: MailWorldOptions): Promise<SignupWorld> {
  const world = await startMailWorld(
    (parts) => [...signupEndpoints(parts), ...claimEndpoints(parts)],
    options,
  );
  const { gateway, smtp } = world;

  const ask = async (path: string, init?: RequestInit): Promise<ReceivedPage> => {
    const response = await fetch(gateway.address + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  let people = 0;
  const post: SignupWorld['post'] = (path, fields, headers = {}) => {
    people += 1;
    const network = `10.${people >> 8}.${people & 255}.1`;
    const body = new URLSearchParams(fields);
    return ask(path, { method: 'POST', headers: { [FORWARDED]: network, ...headers }, body });
  };
  return {
    ...world,
    get: (path) => ask(path),
    post,
    async askForLink(email) {
      const { status, text } = await post('/signup', { email });
      if (status !== 200) throw new Error(`${status}: ${text}`);
      return linkIn(smtp.mails.at(-1)?.text ?? '');
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

/** Returns the key on a page; undefined if it shows none. */
export function keyOn(text: string): string | undefined {
  return /gdr_[a-z2-7]{39}/.exec(text)?.[0];
}
