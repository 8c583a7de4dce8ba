/** Families of browsers by what their User-Agent contains. Many contain the names of others, so the first match counts. */
const FAMILIES: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera|OPX|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/.* Safari\//, 'Safari'],
];
const SYSTEMS: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'an iPhone'],
  [/\biPad\b/, 'an iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'a Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Longer ones are cut; those of browsers have about 150 characters. */
const MAX_CHARS = 400;

/** Describes a browser in plain words, such as `Firefox on Windows`. Nothing of the User-Agent itself is returned. */
export function describeBrowser(userAgent = ''): string {
  const text = userAgent.slice(0, MAX_CHARS);
  const family = nameIn(FAMILIES, text);
  const system = nameIn(SYSTEMS, text);
  if (family === undefined) return system === undefined ? 'an unknown browser' : `a browser on ${system}`;
  return system === undefined ? family : `${family} on ${system}`;
}

function nameIn(list: typeof FAMILIES, text: string): string | undefined {
  return list.find(([pattern]) => pattern.test(text))?.[1];
}
