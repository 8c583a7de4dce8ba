/** The pages that Lighthouse looks at: the front page, a game, its table, its first character, and a search. */
export async function findPages(address: string): Promise<string[]> {
  const status = (await (await fetch(`${address}/status.json`)).json()) as { games: { slug: string }[] };
  const game = `/games/${status.games[0]?.slug}`;
  const list = await (await fetch(`${address}${game}/explore`)).text();
  const character = new RegExp(`${game}/characters/[^"]+`).exec(list)?.[0];
  if (character === undefined) throw new Error(`${game}/explore links to no character`);
  return ['/', game, `${game}/explore`, character, '/search?q=a'];
}
