import { Compare, type CompareProps } from '../views/compare.tsx';
import { browser } from './lib/browser.ts';
import { mount } from './lib/mount.tsx';

mount('compare', (properties: CompareProps) => <Compare {...properties} browser={browser} />);
