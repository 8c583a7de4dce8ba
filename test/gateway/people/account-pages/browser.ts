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
  /** Fills in and sends the form of a page that has this action, and follows a redirect. */
  submit(page: BrowserPage, action: string, fields?: Record<string, string>): Promise<BrowserPage>;
}

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
    async submit(page, action, fields = {}) {
      const response = await post(action, { ...hiddenFields(page, action), ...fields });
      if (response.status !== 303) return response;
      const location = response.headers.get('location') ?? '';
      return await ask(location.replace(/#.*/, ''));
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
  const hidden = content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}
