import type { ComponentChildren, JSX } from 'preact';
import { Island } from '../layout/island.tsx';
import type { Linked } from '../model/linked.ts';
import type { ViewRow, ViewSection } from '../model/record-view.ts';
import type { ViewTable } from '../model/view-table.ts';
import type { Browser } from './browser.ts';
import { DataTable } from './data-table.tsx';
import { PlotFigure } from './plot-figure.tsx';

/** Properties of `RecordSections`. */
export interface RecordSectionsProps {
  sections: readonly ViewSection[];
  browser: Browser | undefined;
  locale: string;
}

/** More rows than this are folded. */
const MANY_ROWS = 16;
/** A value with more characters begins on a new line. */
const LONG_ROW_CHARS = 48;
/** A longer list in a cell is folded. A text is not: what a skill does is what players look for. */
const MANY_CHARS = 1500;
/** Longer elements of a list stand below each other. */
const LINE_CHARS = 24;
/** A table with more characters in a cell is too wide for a phone. */
const STACKED_CHARS = 60;

/** Everything about a record, part by part. */
export function RecordSections({ sections, ...props }: RecordSectionsProps): JSX.Element {
  return (
    <>
      {sections.map((section) => (
        <section key={section.title} class="record-section" id={anchorOf(section)}>
          <h2>{section.title}</h2>
          {section.note !== undefined && <p class="small muted">{section.note}</p>}
          {section.isInternal ? (
            <details>
              <summary>Keys and other values of the data</summary>
              <Content section={section} {...props} />
            </details>
          ) : (
            <Content section={section} {...props} />
          )}
        </section>
      ))}
    </>
  );
}

function Content({ section, ...props }: Omit<RecordSectionsProps, 'sections'> & { section: ViewSection }) {
  return (
    <>
      {section.rows.length > 0 && <Rows rows={section.rows} />}
      {section.tables.map((table) => (
        <ListTable key={table.title} table={table} isAlone={table.title === section.title} {...props} />
      ))}
    </>
  );
}

/** Links to the parts of a page. */
export function SectionLinks({
  sections,
  further,
}: {
  sections: readonly ViewSection[];
  /** Other parts of the page: id and title. */
  further: readonly (readonly [id: string, title: string])[];
}): JSX.Element | null {
  if (sections.length + further.length < 2) return null;
  return (
    <nav class="collections" aria-label="On this page">
      {[...sections.map((section) => [anchorOf(section), section.title]), ...further].map(([id, title]) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
    </nav>
  );
}

function anchorOf({ title }: ViewSection): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
}

function Rows({ rows }: { rows: readonly ViewRow[] }) {
  return (
    <dl class="record-rows">
      {rows.map(({ key, label, hint, values, color }) => (
        <div key={key} class={lengthOf(values) > LONG_ROW_CHARS ? 'long' : undefined}>
          <dt title={hint}>{label}</dt>
          <dd>
            {color !== undefined && (
              <svg class="swatch" width="14" height="14" aria-hidden="true">
                <rect width="14" height="14" rx="3" fill={color} />
              </svg>
            )}
            {linksOf(values)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows texts and links: with commas between them, or one on each line. */
function linksOf(values: readonly Linked[], between = ', '): ComponentChildren {
  return values.map(({ text, href }, at) => {
    const before = at > 0 ? between : '';
    if (href === undefined) return before + text;
    return [
      before,
      <a key={at} href={href} rel={href.startsWith('/') ? undefined : 'noreferrer nofollow'}>
        {text}
      </a>,
    ];
  });
}

/** What a cell shows: a long list is folded, and a plain text needs no element. */
function cellOf(values: readonly Linked[]): ComponentChildren {
  const [first] = values;
  if (values.length === 1 && first?.href === undefined) return first?.text;
  const between = values.some(({ text }) => text.length > LINE_CHARS) ? '\n' : ', ';
  if (lengthOf(values) <= MANY_CHARS) return linksOf(values, between);
  return (
    <details>
      <summary>{values.length} entries</summary>
      {linksOf(values, between)}
    </details>
  );
}

function lengthOf(values: readonly Linked[]): number {
  let length = 0;
  for (const { text } of values) length += text.length;
  return length;
}

function ListTable({
  table,
  isAlone,
  browser,
  locale,
}: Omit<RecordSectionsProps, 'sections'> & { table: ViewTable; isAlone: boolean }) {
  const { title, hint, columns, rows, plot } = table;
  const cells = rows.map((row) => row.map(cellOf));
  const isStacked = rows.some((row) => row.some((values) => lengthOf(values) > STACKED_CHARS));
  const content = <DataTable label={title} columns={columns} rows={cells} isStacked={isStacked} />;
  return (
    <div class="record-table">
      {!isAlone && <h3>{title}</h3>}
      {hint !== undefined && <p class="small muted">{hint}</p>}
      {plot &&
        (browser ? (
          <PlotFigure plot={plot} browser={browser} locale={locale} hasTable />
        ) : (
          <Island name="plot" component={PlotFigure} properties={{ plot, locale, hasTable: true }} />
        ))}
      {rows.length > MANY_ROWS ? (
        <details>
          <summary>{rows.length} rows</summary>
          {content}
        </details>
      ) : (
        content
      )}
    </div>
  );
}
