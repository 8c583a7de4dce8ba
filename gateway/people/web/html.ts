export { Html, html, type Insert } from '../../../scripts/lib/html.ts';
