/** Returns the name of a type for a dataset's key or a game's slug: `PullRates` for `pull_rates`. */
export function typeName(key: string): string {
  return key.replace(/(?:^|[_-])([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}
