import { inSteps, type Steps, TEXTS_A_STEP } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';
import type { LabelsOfValues } from '../query/facets.ts';
import { translationOf } from './translation.ts';

/**
 * Returns labels in a language: that of the dictionary, or the text that the records with the value have in that language. A replaced label is
 * kept as `label_en`.
 *
 * @param language as in the names of attributes
 */
export function* translateLabels(
  labels: LabelsOfValues,
  column: Column,
  list: Collection,
  language: string,
): Steps<LabelsOfValues> {
  const translated = new Map(labels);
  const texts = column.type === 'string' ? yield* textsIn(column, list, language) : [];
  for (const [value, label] of texts) translated.set(value, { ...labels.get(value), label });
  for (const [value, { label, ...others }] of labels) {
    const other = others[`label_${language}`];
    if (other !== undefined)
      translated.set(value, { label: other, ...(label !== undefined && { label_en: label }), ...others });
  }
  return translated;
}

/** Returns the texts that records have in a language beside each value. A value whose records disagree has none. */
function* textsIn(
  { key, list: isList, values, codes }: Column,
  list: Collection,
  language: string,
): Steps<Map<string, string>> {
  const other = list.columns.get(translationOf(key, language));
  const texts = new Map<string, string>();
  if (isList || other === undefined || other.list || other.type !== 'string') return texts;
  yield other.postings;
  const ambiguous = new Set<string>();
  yield* inSteps(codes.length, TEXTS_A_STEP, (from, to) => {
    for (let row = from; row < to; row++) {
      const [code, otherCode] = [codes[row] as number, other.codes[row] as number];
      if (code === -1 || otherCode === -1) continue;
      const [value, text] = [values[code] as string, other.values[otherCode] as string];
      if ((texts.get(value) ?? text) !== text) ambiguous.add(value);
      texts.set(value, text);
    }
  });
  for (const value of ambiguous) texts.delete(value);
  return texts;
}
