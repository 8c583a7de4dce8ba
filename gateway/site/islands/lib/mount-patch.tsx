import { Patch, type PatchProps } from '../../views/patch/patch.tsx';
import { browser } from './browser.ts';
import { mount } from './mount.tsx';

mount('patch', (properties: PatchProps) => <Patch {...properties} browser={browser} />);
