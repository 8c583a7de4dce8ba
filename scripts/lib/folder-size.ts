import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The size of all files in a folder and below, in bytes; 0 if it cannot be read. */
export function sizeOfFolder(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
  } catch {
    return 0;
  }
}
