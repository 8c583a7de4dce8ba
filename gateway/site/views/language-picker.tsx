import type { JSX } from 'preact';

/** Properties of `LanguagePicker`. */
export interface LanguagePickerProps {
  /** The languages of the game besides its own: `ja`, `zh_cn`. */
  codes: readonly string[];
  /** Empty for the game's own language. */
  chosen: string;
  /** The language of the reader. */
  locale: string;
  onChoose: (code: string) => void;
}

/** Chooses the language of names and labels. */
export function LanguagePicker({ codes, chosen, locale, onChoose }: LanguagePickerProps): JSX.Element | null {
  if (codes.length === 0) return null;
  return (
    <label class="language">
      <span class="visually-hidden">Language of names</span>
      <select name="lang" value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">Names as in the game</option>
        {codes.map((code) => (
          <option key={code} value={code}>
            {nameOf(code, locale)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The name of a language in the reader's language; its code if the browser does not know it. */
function nameOf(code: string, locale: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(code.replaceAll('_', '-')) ?? code;
  } catch {
    return code;
  }
}
