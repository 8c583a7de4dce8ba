/** A page that a browser received. */
export interface BrowserPage {
  status: number;
  headers: Headers;
  text: string;
}

/** A minimal browser: it keeps cookies, and sends forms with their hidden fields. */
export interface Browser {
  /** Cookies by name. */
  cookies: Map<string, string>;
  get(path: string): Promise<BrowserPage>;
  /** Sends a form with only these fields. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<BrowserPage>;
  /** Opens the page that has the form with this action, unless it is given, fills it in and sends it, and follows a redirect. */
  submit(action: string, fields?: Record<string, string>, page?: BrowserPage): Promise<BrowserPage>;
}

/** The pages of the forms of an account, by the beginning of their actions. */
const PAGES: readonly [action: string, page: string][] = [
  ['/account/keys/set', '/account/key'],
  ['/account/keys/rotate', '/account/key'],
  ['/account/links', '/account/addresses'],
  ['/account/alerts', '/account/alerts'],
  ['/account/requests', '/account/requests'],
  ['/account/sessions', '/account/security'],
  ['/account/delete', '/account/delete'],
  ['/account/claim', '/account/claim'],
  ['/account', '/account'],
];

/** Opens a browser without cookies on a network. */
export function openBrowser(address: string, network: string, userAgent = 'node'): Browser {
  const cookies = new Map<string, string>();
  const ask = async (path: string, init: RequestInit = {}): Promise<BrowserPage> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const fixed = { ...(cookie && { Cookie: cookie }), 'X-Forwarded-For': network, 'User-Agent': userAgent };
    const headers = { ...fixed, ...init.headers };
    const response = await fetch(address + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const post: Browser['post'] = (path, fields, headers = {}) =>
    ask(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return {
    cookies,
    get: (path) => ask(path),
    post,
    async submit(action, fields = {}, page) {
      const [, path = ''] = PAGES.find(([begin]) => action.startsWith(begin)) ?? [];
      const from = page ?? (await ask(path));
      const response = await post(action, { ...hiddenFields(from, action), ...fields });
      return response.status === 303 ? await ask(response.headers.get('location') ?? '') : response;
    },
  };
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/; Max-Age=0(;|$)/.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** Returns the hidden fields of a form. */
export function hiddenFields({ text }: BrowserPage, action: string): Record<string, string> {
  const form = text.split('<form ').find((part) => part.includes(`action="${action}"`));
  if (form === undefined) throw new Error(`no form has the action ${action}`);
  const [content = ''] = form.split('</form>');
  const hidden = content.matchAll(/<input type="hidden" name="([^"]*)"\s+value="([^"]*)">/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}

/** Returns the text of a page. */
export function plain({ text }: BrowserPage): string {
  return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

/** Returns the message above a form that was refused. */
export function alertOn({ text }: BrowserPage): string | undefined {
  return /role="alert" id="error">([^<]*)</.exec(text)?.[1];
}

/** Returns the key on a page; undefined if it shows none. */
export function keyOn({ text }: { text: string }): string | undefined {
  return /gdr_[a-z2-7]{39}/.exec(text)?.[0];
}
