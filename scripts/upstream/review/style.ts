import { Html } from '../../notices/html.ts';

/** The style sheet of a review, for light and dark. */
export const STYLE = new Html(`
:root { color-scheme: light dark; --text: #1a1a1a; --back: #fff; --soft: #f2f2f2; --line: #ccc; --red: #a40000; --green: #116611; --amber: #8a5a00; --before: #9a9a9a; --now: #2f6fb0 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --back: #161616; --soft: #242424; --line: #444; --red: #ff8a80; --green: #8bd48b; --amber: #e6b455; --before: #777; --now: #6aa9e6 }
}
body { margin: 1rem auto; max-width: 70rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back) }
pre, code { font: .875rem/1.4 ui-monospace, monospace }
pre { overflow: auto; max-height: 40rem; padding: .75rem; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere }
table { border-collapse: collapse; font-size: .875rem }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; overflow-wrap: anywhere }
tr.moved td { font-weight: 600 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 .75rem; margin: .25rem 0 1rem }
dd { margin: 0; overflow-wrap: anywhere }
li.error b, .removed { color: var(--red) }
li.warning b, .changed { color: var(--amber) }
.added { color: var(--green) }
figure { display: inline-block; margin: .5rem 1rem .5rem 0 }
figcaption { font-weight: 600 }
svg { max-width: 100%; height: auto }
svg text { fill: var(--text); font: 12px system-ui, sans-serif }
svg .before { fill: var(--before) }
svg .now { fill: var(--now) }
.key { display: inline-block; width: 1em; height: .8em }
.key.before { background: var(--before) }
.key.now { background: var(--now) }
summary { cursor: pointer }
.beside { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
`);
