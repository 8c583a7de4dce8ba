import { splitLines } from '../../findings/text.ts';

/** What can separate a key from its value, the usual one first, but a longer one before its parts. */
const DELIMITERS = ['=>', '->', '¦', '=', '\t', '::', ':=', ':', '|', ';', ','];
/** How many lines are looked at. */
const MAX_LINES = 500;
/** The share of the lines that must have the delimiter. */
const MIN_SHARE = 0.9;

/**
 * Guesses what separates keys from values in key-value text: what most lines have exactly once, or else at least once.
 *
 * @returns undefined if no delimiter is in most lines
 */
export function guessDelimiter(text: string): string | undefined {
  const lines = splitLines(text)
    .slice(0, MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) return undefined;
  const share = (holds: (line: string) => boolean) => lines.filter(holds).length / lines.length;
  const separates = (line: string, delimiter: string) => line.indexOf(delimiter) > 0;
  const candidates = DELIMITERS.filter(
    (delimiter) => share((line) => separates(line, delimiter)) >= MIN_SHARE,
  );
  const once = candidates.find(
    (delimiter) => share((line) => line.split(delimiter).length === 2) >= MIN_SHARE,
  );
  return once ?? candidates[0];
}

/** What can separate the cells of a row. */
const CELL_DELIMITERS = [',', ';', '\t', '|'];

/**
 * Guesses what separates the cells of CSV text: what most lines have as often as the header.
 *
 * @returns undefined if nothing does
 */
export function guessCellDelimiter(text: string): string | undefined {
  const lines = splitLines(text)
    .slice(0, MAX_LINES)
    .filter((line) => line !== '');
  const count = (line: string, delimiter: string) => line.split(delimiter).length;
  return CELL_DELIMITERS.find((delimiter) => {
    const cells = count(lines[0] ?? '', delimiter);
    return (
      cells > 1 && lines.filter((line) => count(line, delimiter) === cells).length >= lines.length * MIN_SHARE
    );
  });
}
