import { claimEndpoints } from '../../../../gateway/people/membership/claim-endpoints.ts';
import { signupEndpoints } from '../../../../gateway/people/signup/endpoints.ts';
import { type MailWorld, type MailWorldOptions, PUBLIC_URL, startMailWorld } from '../mail/world.ts';

/** A page as a person gets it. */
export interface PageAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** A gateway where people sign up. */
export interface SignupWorld extends MailWorld {
  get(path: string): Promise<PageAnswer>;
  /** Sends a form as its page does. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<PageAnswer>;
  /** Asks for a link for an address, and gives the path that the mail says. */
  askForLink(email: string): Promise<string>;
}

/** Whom a request comes from, by the one proxy that is believed. */
export const FORWARDED = 'X-Forwarded-For';

/** Starts a gateway where people sign up and claim memberships. Each request is of a network of its own, unless it says another. */
export async function startSignup(options?: MailWorldOptions): Promise<SignupWorld> {
  const world = await startMailWorld(
    (parts) => [...signupEndpoints(parts), ...claimEndpoints(parts)],
    options,
  );
  const { gateway, smtp } = world;

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
