import type { Headers } from '../../http/problem.ts';
import { type Html, html } from './html.ts';
import { FORM_PAGE } from './page.ts';

/** What was wrong with a form that was sent. */
export interface FormError {
  status: number;
  message: string;
  /** After how many seconds it may be sent again. */
  retryAfter?: number;
}

/** What is typed where an e-mail address belongs, and is none. */
export const NO_ADDRESS: FormError = {
  status: 400,
  message: 'This is no e-mail address that mail can be sent to. Expected one such as ada@example.org.',
};

/** How a page begins that shows a form again. */
export function describeError(error: FormError | undefined): Html | undefined {
  return error && html`<p role="alert" id="error">${error.message}</p>`;
}

/** What binds a field to the error above its form. */
export function describedBy(error: FormError | undefined): Html | undefined {
  return error && html` aria-describedby="error" aria-invalid="true"`;
}

/** The header fields of a page with a form. */
export function formHeaders(error: FormError | undefined): Headers {
  return { ...FORM_PAGE, ...(error?.retryAfter !== undefined && { 'Retry-After': error.retryAfter }) };
}
