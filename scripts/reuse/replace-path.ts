import { realpathSync } from 'node:fs';
import path from 'node:path';

/** Returns one path for all that lead to a folder: relative or not, and also through links. */
export function realPath(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

/** Replaces the path to a folder in a text: in paths to what is in it, and where no longer path or name ends with it. */
export function replacePath(text: string, from: string, to: string): string {
  if (from === to || !text.includes(from)) return text;
  const escaped = from.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(new RegExp(`(?<![\\w./-])${escaped}(?=/)`, 'g'), () => to);
}

/** The same in all texts of a value that can be JSON. */
export function replacePaths<T>(value: T, from: string, to: string): T {
  const replace = (_key: string, part: unknown) =>
    typeof part === 'string' ? replacePath(part, from, to) : part;
  return from === to ? value : (JSON.parse(JSON.stringify(value), replace) as T);
}
