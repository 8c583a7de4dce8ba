import { suite } from 'uvu';
import { openCheckout } from './demo.ts';
import { type PagesContext, registerPages } from '../../docs/run-page.ts';

const maintainers = suite<PagesContext>('the commands for maintainers');
await registerPages(maintainers, openCheckout, (page) => page.startsWith('docs/maintainers/'));
maintainers.run();
