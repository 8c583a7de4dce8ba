import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from '../content/content.ts';
import { dictionaryExample, placeOfDictionary, visitServed } from './dictionary.ts';

const described = {
  id: { description: 'The id.' },
  name: { description: 'The name.' },
  icon: { description: 'The icon.', kind: 'image' },
};
const records = exampleRecords(3, (index) => ({ icon: `https://images.example/${index}.png` }));
const example = (host: string) => {
  const { 'game.json': definition, ...files } = dictionaryExample(described, records);
  const images = { hosts: [host], credit: 'Example', terms: 'https://example.org/terms' };
  return { 'game.json': { ...Object(definition), images }, ...files };
};

export const imageHostsCheck: ContentCheck = {
  name: 'image-hosts',
  description: 'Addresses of images are at the hosts that `images` in game.json names.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: example('images.example'),
  fails: example('pictures.example'),
  check({ build }) {
    const { images } = build.source;
    const findings: StepFinding[] = [];
    visitServed(build, ({ key, values, collection, definition }) => {
      if (definition?.kind !== 'image') return true;
      const hosts = new Set([...values.keys()].flatMap((address) => hostOf(address) ?? []));
      const others = [...hosts].filter((host) => !images?.hosts.includes(host));
      if (others.length === 0) return true;
      findings.push({
        ...{ of: `${collection}.${key}`, place: placeOfDictionary(build) },
        found: `images at ${others.sort().join(', ')} in "${key}" of ${collection}`,
        expected: images
          ? `images at ${images.hosts.join(', ')}, as "images" in game.json says`
          : 'a game.json that says where the images are',
        fix: `say {"images": {"hosts": [${others.map((host) => JSON.stringify(host)).join(', ')}], "credit": "…", "terms": "https://…"}} in game.json if the images may be shown from there`,
      });
      return true;
    });
    return findings;
  },
};

/** The host of a web address; undefined for other values. */
function hostOf(value: unknown): string | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value).host : undefined;
}
