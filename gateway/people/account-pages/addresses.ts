/** The paths of the account page, of the links in mails, and of signing out. */
export const ACCOUNT = '/account';
export const ACCOUNT_ENTER = '/account/enter';
export const ACCOUNT_LEAVE = '/account/leave';
/** The page where an account is deleted. */
export const ACCOUNT_DELETE = '/account/delete';

/** The page of one key. */
export const ACCOUNT_KEY = '/account/key';

/** Responds with the browser key of the visitor's session. */
export const ACCOUNT_BROWSER_KEY = '/account/browser-key';

/** Returns the path of the page of a key. */
export function keyPath(prefix: string): string {
  return `${ACCOUNT_KEY}?${new URLSearchParams({ prefix })}`;
}

/** The paths of the forms on the account page. */
export const FORMS = {
  issueKey: '/account/keys/issue',
  issueBrowserKey: '/account/keys/issue-browser',
  makeAddress: '/account/links/make',
  revokeAddress: '/account/links/revoke',
  revokeKey: '/account/keys/revoke',
  setKey: '/account/keys/set',
  rotateKey: '/account/keys/rotate',
  askForGame: '/account/requests/ask',
  supportRequest: '/account/requests/support',
  withdrawSupport: '/account/requests/withdraw',
  setFollows: '/account/alerts/follows',
  setMail: '/account/alerts/mail',
  setWebhook: '/account/alerts/webhook',
  changeWebhook: '/account/alerts/webhook/change',
  renewFeed: '/account/alerts/feed',
  removeFeed: '/account/alerts/feed/remove',
  sendTest: '/account/alerts/test',
  endSessions: '/account/sessions/end',
} as const;

/** The value that ends all sessions, in the place of the id of one. */
export const ALL_SESSIONS = 'all';
