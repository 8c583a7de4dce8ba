/**
 * Reads what the search of the site found: the links of its page.
 *
 * @returns none if it failed or was cancelled
 */
export async function findLinks(path: string, signal: AbortSignal): Promise<HTMLAnchorElement[]> {
  try {
    const response = await fetch(path, { headers: { accept: 'text/html' }, signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return response.ok ? [...page.querySelectorAll<HTMLAnchorElement>('.results a')] : [];
  } catch {
    return [];
  }
}
