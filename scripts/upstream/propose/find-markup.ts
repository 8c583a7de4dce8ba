import { stripMarkup } from '../../compile/library/markup.ts';

/** How the expression of a text becomes one without markup. */
export interface Markup {
  /** `name` becomes `$strip(name)`, or `$unescape(name)`, or both. */
  strip(expression: string): string;
  /** What a person has to decide. */
  comments: string[];
}

const WORDING = /\{([A-Za-z]+)#[^{}]*\}/;
/** An HTML character reference. */
const REFERENCE = /&(?:[a-z]{2,8}|#\d{2,5}|#x[\da-f]{2,5});/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]|\r(?!\n)/;

/** Whether a value is a text with a control character other than tabs and ends of lines. */
export function hasControls(value: unknown): boolean {
  return typeof value === 'string' && CONTROLS.test(value);
}

/** The expression of a text without control characters, of which a record may have none. */
export function removeControls(expression: string): string {
  return `$replace(${expression}, /[\\x00-\\x08\\x0b-\\x1f\\x7f\\ufeff]/, '')`;
}

/** Finds markup in the values of a column of texts. Without any, expressions stay as they are. */
export function findMarkup(values: readonly unknown[]): Markup {
  const texts = values.filter((value) => typeof value === 'string');
  const worded = texts.find((text) => WORDING.test(text));
  const [, wording] = WORDING.exec(worded ?? '') ?? [];
  const isEscaped = texts.some((text) => REFERENCE.test(text));
  const hasTags = texts.some((text) => stripMarkup(text) !== text);
  const clean = texts.some(hasControls) ? removeControls : (expression: string) => expression;
  const strip = (dirty: string) => {
    const expression = clean(dirty);
    if (wording !== undefined) return `$strip(${expression}, '${wording}')`;
    return hasTags ? `$strip(${expression})` : expression;
  };
  return {
    strip: (expression) => (isEscaped ? `$unescape(${strip(expression)})` : strip(expression)),
    comments:
      worded === undefined
        ? []
        : [
            `Names have several wordings, such as ${JSON.stringify(worded)}: check which of them $strip chooses.`,
          ],
  };
}
