import { stripMarkup } from '../../../core/compile/library/markup.ts';

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

/** Finds markup in the values of a column of texts. Without any, expressions stay as they are. */
export function findMarkup(values: readonly unknown[]): Markup {
  const texts = values.filter((value) => typeof value === 'string');
  const worded = texts.find((text) => WORDING.test(text));
  const [, wording] = WORDING.exec(worded ?? '') ?? [];
  const isEscaped = texts.some((text) => REFERENCE.test(text));
  const hasTags = texts.some((text) => stripMarkup(text) !== text);
  const strip = (expression: string) => {
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
