/** The pages that Lighthouse looks at: the front page, a game, its table, and one of its sample characters. */
export async function findPages(address: string): Promise<string[]> {
  const { games } = await read<{ games: { slug: string }[] }>(`${address}/status.json`);
  const slug = games[0]?.slug ?? '';
  const { characters } = await read<{ characters: { id: string }[] }>(`${address}/games/${slug}/sample.json`);
  const id = encodeURIComponent(characters[0]?.id ?? '');
  return ['/', `/games/${slug}`, `/games/${slug}/explore`, `/games/${slug}/characters/${id}`];
}

async function read<T>(address: string): Promise<T> {
  return (await (await fetch(address)).json()) as T;
}
