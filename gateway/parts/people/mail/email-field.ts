import { describedBy, type FormError } from '../web/form-error.ts';
import { type Html, html } from '../web/html.ts';

/**
 * Makes the form field for an email address.
 *
 * @param label the text above the field
 * @param typed the value of the field
 * @param error the error of the form, if any
 */
export function emailField(label: string, typed: string, error: FormError | undefined): Html {
  return html`<p><label for="email">${label}</label><br>
    <input type="email" id="email" name="email" value="${typed}" autocomplete="email" maxlength="254" required${describedBy(error)}></p>`;
}
