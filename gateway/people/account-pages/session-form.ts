import { csrfTokenOf, type Session } from '../accounts/session.ts';
import { type Html, html } from '../web/html.ts';

/** What was typed into a form, by the names of its fields. */
export type Fields = ReadonlyMap<string, string>;

/** The field that carries the CSRF token. */
export const CSRF_FIELD = 'csrf_token';

/** A form of a session. */
export function sessionForm(session: Session, action: string, content: Html): Html {
  return html`<form method="post" action="${action}">
  <input type="hidden" name="${CSRF_FIELD}" value="${csrfTokenOf(session)}">
  ${content}
</form>`;
}
