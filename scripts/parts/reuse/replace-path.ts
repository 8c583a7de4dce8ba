/** Replaces the path to a folder in a text: in paths to what is in it, and where no longer path or name ends with it. */
export function replacePath(text: string, from: string, to: string): string {
  if (from === to || !text.includes(from)) return text;
  const path = from.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(new RegExp(`(?<![\\w./-])${path}(?=/)`, 'g'), () => to);
}

/** The same in all texts of a value that can be JSON. */
export function replacePaths<T>(value: T, from: string, to: string): T {
  const replace = (_key: string, part: unknown) =>
    typeof part === 'string' ? replacePath(part, from, to) : part;
  return from === to ? value : (JSON.parse(JSON.stringify(value), replace) as T);
}
