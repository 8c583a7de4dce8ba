import { type Html, html } from '../web/html.ts';

/** Puts a table where it can scroll on narrow screens, also by keyboard. @param label what the table has */
export function scrollable(label: string, table: Html): Html {
  return html`<div class="scroll account-table" role="group" tabindex="0" aria-label="${label}">${table}</div>`;
}
