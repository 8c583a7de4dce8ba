import type { Endpoint } from '../../http/incoming.ts';
import { InputError } from '../../http/problem.ts';
import type { Session } from '../accounts/session.ts';
import { AddressError } from '../alerts/post.ts';
import type { FormError } from '../web/form-error.tsx';
import { type Page, redirectPage } from '../web/page.tsx';
import { readAccountState } from './account-state.ts';
import { ACCOUNT } from './addresses.ts';
import { type AccountServices, handleSessionForm } from './handle-session.ts';
import { accountPage } from './pages.tsx';
import type { Fields } from './sections/session-form.tsx';

/** A form of the account page. It reports wrong input by throwing an InputError or AddressError. */
export type AccountForm = {
  path: string;
  /** The id of the page's section that contains the form. */
  section: string;
  /** The page of the form, if it is not the account page. */
  place?: {
    /** Returns its path, for after the form was applied. */
    path(fields: Fields): string;
    /** Makes it again, with the form and what was wrong with it. */
    show(session: Session, fields: Fields, error: FormError): Promise<Page>;
  };
  /** The maximum length of the form. */
  maxBytes?: number;
} & (
  | {
      /** Applies the form; then the account page is shown again. */
      change(session: Session, fields: Fields): Promise<unknown>;
    }
  | {
      /** Applies the form, and returns a page with a secret that is shown only once. */
      reveal(session: Session, fields: Fields): Promise<Page>;
    }
);

/** Makes the endpoint of a form of the account page. If the input is wrong, its page is shown with the reason. */
export function accountFormEndpoint(services: AccountServices, form: AccountForm): Endpoint {
  const apply = async (session: Session, fields: Fields): Promise<Page> => {
    try {
      if ('reveal' in form) return await form.reveal(session, fields);
      await form.change(session, fields);
      return redirectPage(form.place?.path(fields) ?? `${ACCOUNT}#${form.section}`);
    } catch (error) {
      const refusal = explainError(error);
      if (refusal === undefined) throw error;
      if (form.place) return await form.place.show(session, fields, refusal);
      const state = await readAccountState(session, services, services.now());
      return accountPage(state, refusal, fields);
    }
  };
  return { path: form.path, post: handleSessionForm(services, apply, { maxBytes: form.maxBytes }) };
}

function explainError(error: unknown): FormError | undefined {
  if (error instanceof AddressError) {
    return { status: 400, message: `Webhooks cannot be sent to this address: ${error.message}.` };
  }
  if (error instanceof InputError) {
    const { message, status } = error;
    return { status, message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.` };
  }
  return undefined;
}
