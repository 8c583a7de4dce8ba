import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The bytes of all files in a folder and below; 0 where it cannot be looked at. */
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
