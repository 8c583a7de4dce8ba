import type { AriaAttributes, JSX } from 'preact';
import type { Headers } from '../../http/problem.ts';
import { FORM_PAGE } from './page.tsx';

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

/** The message above a form that is shown again. */
export function ErrorMessage({ error }: { error: FormError | undefined }): JSX.Element | null {
  if (error === undefined) return null;
  return (
    <p role="alert" id="error">
      {error.message}
    </p>
  );
}

/** Makes the attributes that connect a field to the message above its form. */
export function describedBy(error: FormError | undefined): AriaAttributes {
  return error === undefined ? {} : { 'aria-describedby': 'error', 'aria-invalid': true };
}

/** Returns the header fields of a page with a form. */
export function formHeaders(error: FormError | undefined): Headers {
  return { ...FORM_PAGE, ...(error?.retryAfter !== undefined && { 'Retry-After': error.retryAfter }) };
}
