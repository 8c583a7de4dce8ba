import { describedBy, type FormError } from '../web/form-error.ts';
import { type Html, html } from '../web/html.ts';

/**
 * The field for the e-mail address that a mail goes to.
 *
 * @param label what people read above it
 * @param typed what was typed before
 * @param error what was wrong with the form
 */
export function addressField(label: string, typed: string, error: FormError | undefined): Html {
  return html`<p><label for="email">${label}</label><br>
    <input type="email" id="email" name="email" value="${typed}" autocomplete="email" maxlength="254" required${describedBy(error)}></p>`;
}
