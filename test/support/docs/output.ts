import * as assert from 'uvu/assert';

/** Matches anything: part of a line or of a JSON string, whole lines, or a whole JSON value. */
const ANYTHING = '…';

/**
 * Compares what a block printed with what the page shows.
 *
 * @param language `json` compares values, every other language compares lines
 * @throws if they differ
 */
export function checkOutput(language: string, printed: string, shown: string, place: string): void {
  if (language === 'json') checkJson(printed, shown, place);
  else checkLines(printed, shown, place);
}

function checkLines(printed: string, shown: string, place: string): void {
  const [actual, expected] = [normalise(printed), normalise(shown)];
  const pattern = expected.split('\n').map(toPattern).join('');
  if (!new RegExp(`^${pattern}$`).test(`${actual}\n`)) assert.fixture(actual, expected, place);
}

/** Without the carriage returns of HTTP headers and the white space at the ends of lines. */
function normalise(text: string): string {
  return text.replace(/[ \t\r]+$/gm, '').trim();
}

/** A line that consists of `…` matches any number of lines. */
function toPattern(line: string): string {
  return line.trim() === ANYTHING ? '(?:.*\n)*?' : `${escapeText(line)}\n`;
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(ANYTHING, '.*');
}

function checkJson(printed: string, shown: string, place: string): void {
  const actual: unknown = JSON.parse(printed);
  const expected: unknown = JSON.parse(shown);
  assert.equal(withAnything(actual, expected), expected, place);
}

/** The actual value, with `…` wherever the expected value has it and the actual value fits. */
function withAnything(actual: unknown, expected: unknown): unknown {
  if (expected === ANYTHING && actual !== undefined) return ANYTHING;
  if (typeof expected === 'string' && typeof actual === 'string') {
    return new RegExp(`^${escapeText(expected)}$`).test(actual) ? expected : actual;
  }
  if (Array.isArray(actual)) return withAnyElements(actual, expected);
  if (typeof actual !== 'object' || actual === null) return actual;
  if (typeof expected !== 'object' || expected === null) return actual;
  const known = expected as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(actual).map(([name, value]) => [name, withAnything(value, known[name])]),
  );
}

/** A list whose last shown element is `…` may have any number of further elements. */
function withAnyElements(actual: unknown[], expected: unknown): unknown {
  if (!Array.isArray(expected)) return actual;
  const isOpen = expected.at(-1) === ANYTHING;
  const count = isOpen ? expected.length - 1 : actual.length;
  const elements = actual.slice(0, count).map((element, index) => withAnything(element, expected[index]));
  return isOpen && actual.length >= count ? [...elements, ANYTHING] : elements;
}
