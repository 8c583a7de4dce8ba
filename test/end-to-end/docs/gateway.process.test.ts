import { suite } from 'uvu';
import { openDemo } from '../../support/docs/demo.ts';
import { type PagesContext, registerPages } from '../../support/docs/register-pages.ts';

const others = suite<PagesContext>('the commands on all pages except those for maintainers');
await registerPages(others, openDemo, (page) => !page.startsWith('docs/maintainers/'));
others.run();
