import type { Key } from '../../plans/account.ts';
import { MAX_KEYS } from '../signup/links.ts';
import { describeTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { FORMS } from './addresses.ts';
import { hasRoom } from './keys.ts';
import { sessionForm } from './session-form.ts';

/** Makes the section about keys, with a button to revoke each and one to issue another. */
export function keysSection({ session, keys }: AccountState): Html {
  const revoke = ({ prefix }: Key) =>
    sessionForm(
      session,
      FORMS.revokeKey,
      html`<button name="prefix" value="${prefix}" aria-label="Revoke ${prefix}">Revoke</button>`,
    );
  const rows = keys.map(
    (key) => html`<tr><td><code>${key.prefix}…</code><td>${describeTime(key.created_at)}<td>${
      key.revoked_at === null ? revoke(key) : html`ends ${describeTime(key.revoked_at)}`
    }
`,
  );
  const table =
    keys.length > 0
      ? html`<table>
<tr><th scope="col">Key<th scope="col">Created<td>
${rows}</table>`
      : html`<p>You have no working key.</p>`;
  const issue = hasRoom(keys)
    ? sessionForm(session, FORMS.issueKey, html`<button>New key</button>`)
    : html`<p>An account may have ${MAX_KEYS} keys. Revoke one to get a new one.</p>`;
  return html`<h2 id="keys">Keys</h2>
${table}
${issue}`;
}
