import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact';
import { csrfTokenOf, type Session } from '../../accounts/session.ts';

/** The values of a form's fields, by their names. */
export type Fields = ReadonlyMap<string, string>;

/** The name of the field with the CSRF token. */
export const CSRF_FIELD = 'csrf_token';

/** A form that carries the session's CSRF token. */
export function SessionForm(props: {
  session: Session;
  /** The path that it is sent to. */
  action: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form method="post" action={props.action}>
      <input type="hidden" name={CSRF_FIELD} value={csrfTokenOf(props.session)} />
      {props.children}
    </form>
  );
}

/** A field with its label above it. The attributes are those of `<input>`. */
export function Field({
  label,
  ...attributes
}: { label: ComponentChildren; id: string } & InputHTMLAttributes): JSX.Element {
  return (
    <p>
      <label for={attributes.id}>{label}</label>
      <br />
      <input {...attributes} />
    </p>
  );
}
