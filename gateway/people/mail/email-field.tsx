import type { JSX } from 'preact';
import { describedBy, type FormError } from '../web/form-error.tsx';

/** The form field for an email address. */
export function EmailField(props: {
  label: string;
  /** What was typed before. */
  typed: string;
  /** The error of the form, if any. */
  error: FormError | undefined;
}): JSX.Element {
  const { label, typed, error } = props;
  return (
    <p>
      <label for="email">{label}</label>
      <br />
      <input
        type="email"
        id="email"
        name="email"
        value={typed}
        autocomplete="email"
        maxlength={254}
        required
        {...describedBy(error)}
      />
    </p>
  );
}
