import { NewerBuilds, type NewerBuildsProps } from '../views/patch/newer-builds.tsx';
import { browser } from './lib/browser.ts';
import { mount } from './lib/mount.tsx';

mount('patches', (properties: NewerBuildsProps) => <NewerBuilds {...properties} browser={browser} />);
