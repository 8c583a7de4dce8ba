import type { CompiledBuild, CompiledDataset } from '../compile/compile-build.ts';
import type { Finding, Outcome, Place } from '../findings/findings.ts';
import type { BuildContent, DatasetContent } from '../format/build-content.ts';
import { ownValue, parseRecord } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { suggestFix } from '../lib/nearest.ts';

/**
 * Replaces the datasets that a build carries by those of the build before.
 *
 * @param before undefined if the build is the first one, or if builds before it were left out
 * @param earlier from which builds the build before carried its datasets
 */
export function carryDatasets(
  build: CompiledBuild,
  before: BuildContent | undefined,
  earlier: Readonly<Record<string, string>>,
): Outcome<CompiledBuild> {
  const keys = Object.keys(build.source.carried);
  if (before === undefined || keys.length === 0) return { value: build, findings: [] };
  const findings: Finding[] = [];
  const from: Record<string, string> = {};
  const datasets = new Map(build.datasets.map((dataset) => [dataset.key, dataset]));
  for (const key of keys) {
    const place = { file: `${build.source.folder}/build.json`, pointer: pointerTo('/carried', key) };
    const content = before.datasets.get(key);
    if (content === undefined) findings.push(unknownDataset(key, place, before));
    else {
      datasets.set(key, decodeDataset(key, content, datasets.get(key)?.place ?? place));
      from[key] = ownValue(earlier, key) ?? before.build;
    }
  }
  const sorted = [...datasets.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { value: { ...build, datasets: sorted, carriedFrom: from }, findings };
}

function decodeDataset(key: string, content: DatasetContent, place: Place): CompiledDataset {
  if (content.kind === 'object') return { key, place, kind: 'object', object: parseRecord(content.text) };
  const records = content.records.map((text) => ({ record: parseRecord(text), place, raw: false }));
  return { key, place, kind: 'list', records };
}

function unknownDataset(key: string, place: Place, { build, datasets }: BuildContent): Finding {
  return {
    check: 'build-definition',
    severity: 'error',
    place,
    found: `a carried dataset "${key}", which build ${build} does not have`,
    expected: `a dataset of build ${build}: ${[...datasets.keys()].join(', ')}`,
    ...suggestFix(key, datasets.keys()),
  };
}
