import { Patch, type PatchProps } from '../views/patch.tsx';
import { browser } from './lib/browser.ts';
import { mount } from './lib/mount.tsx';

mount('patch', (properties: PatchProps) => <Patch {...properties} browser={browser} />);
