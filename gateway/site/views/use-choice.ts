import { useEffect, useState } from 'preact/hooks';
import type { Browser } from './browser.ts';

/** Whether the script of the page runs. What it changes on an element differs between renderings only, as a first one leaves the attributes that the server wrote. */
export function useReady(): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return isReady;
}

/** A choice of the reader that this browser keeps; empty until the page runs in a browser, or without one. */
export function useChoice(
  browser: Browser | undefined,
  name: string,
): [value: string, choose: (value: string) => void] {
  const [value, setValue] = useState('');
  useEffect(() => setValue(browser?.choice(name) ?? ''), [browser, name]);
  return [
    value,
    (next) => {
      browser?.keepChoice(name, next);
      setValue(next);
    },
  ];
}
