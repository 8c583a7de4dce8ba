import { csrfTokenOf, type Session } from '../accounts/session.ts';
import { type Html, html } from '../web/html.ts';

/** The values of a form's fields, by their names. */
export type Fields = ReadonlyMap<string, string>;

/** The name of the field with the CSRF token. */
export const CSRF_FIELD = 'csrf_token';

/** Makes a form that carries the session's CSRF token. */
export function sessionForm(session: Session, action: string, content: Html): Html {
  return html`<form method="post" action="${action}">
  <input type="hidden" name="${CSRF_FIELD}" value="${csrfTokenOf(session)}">
  ${content}
</form>`;
}
