/** Markdown without its code blocks and inline code. */
function withoutCode(text: string): string {
  return text.replace(/^(```|~~~).*\n(?:.*\n)*?\1$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The addresses of a page's links and images, in order. */
export function findLinks(text: string): string[] {
  const plain = withoutCode(text);
  const inline = plain.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g);
  const references = plain.matchAll(/^\[[^\]]+\]: (\S+)/gm);
  return [...inline, ...references].map(([, address = '']) => address);
}

/** The anchors of a page's headings, as GitHub makes them. */
export function findAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  const headings = text.replace(/^(```|~~~).*\n(?:.*\n)*?\1$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  for (const [, heading = ''] of headings) {
    const anchor = toAnchor(heading);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

function toAnchor(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
