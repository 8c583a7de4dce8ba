import { Explore, type ExploreProps } from '../views/explore.tsx';
import { browser } from './lib/browser.ts';
import { mount } from './lib/mount.tsx';

mount('explore', (properties: ExploreProps) => <Explore {...properties} browser={browser} />);
