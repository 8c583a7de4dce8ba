import type { JSX } from 'preact';

/**
 * Inserts HTML that a template has made, in which all texts are escaped: an account page, or a guide.
 *
 * @param html never a text from data or from a person
 */
export function RawHtml({ html, class: name }: { html: string; class?: string | undefined }): JSX.Element {
  return <div class={name} dangerouslySetInnerHTML={{ __html: html }} />;
}
