import type { Headers } from '../../../core/http/problem.ts';
import { type Html, html } from './html.ts';
import { FORM_PAGE } from './page.ts';

/** Why a form is shown again. */
export interface FormError {
  status: number;
  message: string;
  /** After how many seconds the form may be sent again. */
  retryAfter?: number;
}

/** The error of a form whose email address is not valid. */
export const INVALID_EMAIL: FormError = {
  status: 400,
  message: 'This is not an email address that mail can be sent to. Expected one such as ada@example.org.',
};

/** Makes the message above a form that is shown again. */
export function describeError(error: FormError | undefined): Html | undefined {
  return error && html`<p role="alert" id="error">${error.message}</p>`;
}

/** Makes the attributes that connect a field to the message above its form. */
export function describedBy(error: FormError | undefined): Html | undefined {
  return error && html` aria-describedby="error" aria-invalid="true"`;
}

/** Returns the header fields of a page with a form. */
export function formHeaders(error: FormError | undefined): Headers {
  return { ...FORM_PAGE, ...(error?.retryAfter !== undefined && { 'Retry-After': error.retryAfter }) };
}
