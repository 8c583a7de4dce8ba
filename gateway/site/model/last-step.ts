/** Returns the last step of a path, decoded; as it is if it is not well encoded: `/games/saga/characters/unit%201` → `unit 1`. */
export function readLastStep(path: string): string {
  const step = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
