export { Html, html, type Insert } from '../../../../scripts/core/lib/html.ts';
