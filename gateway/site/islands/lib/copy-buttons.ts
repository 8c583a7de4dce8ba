import { readKey } from './key.ts';

const COPIED_MS = 2000;

/** Adds a button to each block of code that copies it, where the browser allows that. Blocks can be scrolled by keyboard. */
export function addCopyButtons(root: ParentNode): void {
  for (const block of root.querySelectorAll('pre')) block.tabIndex = 0;
  if (navigator.clipboard === undefined) return;
  for (const code of root.querySelectorAll<HTMLElement>('pre > code')) addCopyButton(code);
}

/** Samples name the key `$KEY`: with a key in the tab, a copy has it. */
function withKey(text: string): string {
  const key = readKey();
  return key === undefined ? text : text.replaceAll('$KEY', key);
}

function addCopyButton(code: HTMLElement): void {
  const pre = code.closest('pre');
  if (pre === null || pre.parentElement?.classList.contains('copy')) return;
  const frame = document.createElement('div');
  frame.className = 'copy';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(withKey(code.textContent ?? ''));
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  pre.replaceWith(frame);
  frame.append(pre, button);
}
