export { Html, html, type Insert } from '../../../../scripts/shared/notices/html.ts';
