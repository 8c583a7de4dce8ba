import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { describeCap, type Remaining } from '../model/quota.ts';
import { type ApiRequest, addressOf, csvAddressOf, type Snippet, writeSnippets } from '../model/snippets.ts';

/** Properties of `RequestBox`. */
export interface RequestBoxProps {
  request: ApiRequest;
  remaining: readonly Remaining[];
  copy: ((text: string) => Promise<void>) | undefined;
}

/** The request behind a page, as code to copy, and what is left of the caps. */
export function RequestBox({ request, remaining, copy }: RequestBoxProps): JSX.Element {
  const [chosen, setChosen] = useState<Snippet['language']>('curl');
  const [copied, setCopied] = useState('');
  const snippets = writeSnippets(request);
  const code = snippets.find(({ language }) => language === chosen)?.code ?? '';
  const copyText = (text: string, label: string) => {
    copy?.(text).then(
      () => setCopied(`${label} copied`),
      () => setCopied('The browser did not allow it. Select the text instead.'),
    );
  };
  return (
    <section class="request-box panel" aria-labelledby="request-title">
      <h2 id="request-title">This request</h2>
      <fieldset class="choice-row">
        <legend class="visually-hidden">Language of the code</legend>
        {snippets.map(({ language }) => (
          <button
            key={language}
            type="button"
            class="choice"
            aria-pressed={language === chosen}
            onClick={() => setChosen(language)}
          >
            {language}
          </button>
        ))}
      </fieldset>
      <pre>
        <code>{code}</code>
      </pre>
      <p class="button-row">
        <button type="button" class="quiet" onClick={() => copyText(code, 'Code')}>
          Copy the code
        </button>
        <button type="button" class="quiet" onClick={() => copyText(addressOf(request), 'Address')}>
          Copy the address
        </button>
        {request.hasCsv && (
          <button type="button" class="quiet" onClick={() => copyText(csvAddressOf(request), 'CSV address')}>
            Copy the CSV address
          </button>
        )}
        <span role="status" class="small">
          {copied}
        </span>
      </p>
      <Caps remaining={remaining} />
    </section>
  );
}

/** What is left of the caps of the account, and of the key if it has its own. */
function Caps({ remaining }: { remaining: readonly Remaining[] }): JSX.Element | null {
  if (remaining.length === 0) return null;
  return (
    <dl class="caps small">
      {remaining.map((cap) => (
        <div key={describeCap(cap)}>
          <dt>Left {describeCap(cap)}</dt>
          <dd>
            <span class="number">{cap.left}</span>
            {cap.of !== undefined && ` of ${cap.of}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}
