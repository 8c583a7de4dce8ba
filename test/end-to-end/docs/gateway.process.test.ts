import { suite } from 'uvu';
import { openDemo } from '../../support/docs/demo.ts';
import { type PagesContext, registerPages } from '../../support/docs/register-pages.ts';

const others = suite<PagesContext>('the commands for consumers, operators and all others');
await registerPages(others, openDemo, (page) => !page.startsWith('docs/maintainers/'));
others.run();
