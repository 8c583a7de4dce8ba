/** A game that a reader sees beside others. */
export interface MarkedGame {
  slug: string;
  title: string;
}

const MAX_LETTERS = 4;

/** Returns the letters that stand for each game, by slug: as few as no other of these games has. */
export function marksOf(games: readonly MarkedGame[]): Map<string, string> {
  const possible = new Map(games.map(({ slug, title }) => [slug, new Set(candidatesOf(title))]));
  const uses = new Map<string, number>();
  for (const mark of [...possible.values()].flatMap((marks) => [...marks]))
    uses.set(mark, (uses.get(mark) ?? 0) + 1);
  const marks = new Map<string, string>();
  for (const [slug, candidates] of possible) {
    const [first = '?'] = candidates;
    const uniqueMark = [...candidates].find((mark) => uses.get(mark) === 1) ?? numbered(first, uses);
    uses.set(uniqueMark, 1);
    marks.set(slug, uniqueMark);
  }
  return marks;
}

/** The shortest first: the first letters of two words, of more words, and of the first word. */
function candidatesOf(title: string): string[] {
  const words = (title.match(/[\p{L}\p{N}]+/gu) ?? ['?']).map((word) => [...word]);
  const [first = []] = words;
  const firstsOf = (count: number) =>
    words
      .slice(0, count)
      .map(([letter = '']) => letter.toUpperCase())
      .join('');
  const startOf = (count: number) => `${first[0]?.toUpperCase()}${first.slice(1, count).join('')}`;
  const firsts = words.length > 1 ? [firstsOf(2), firstsOf(MAX_LETTERS)] : [];
  return [...firsts, startOf(2), startOf(3), startOf(MAX_LETTERS)];
}

function numbered(letters: string, uses: ReadonlyMap<string, number>): string {
  let number = 1;
  while (uses.has(`${letters}${number}`)) number++;
  return `${letters}${number}`;
}
