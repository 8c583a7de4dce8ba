import { Character, type CharacterProps } from '../views/character.tsx';
import { browser } from './lib/browser.ts';
import { mount } from './lib/mount.tsx';

mount('character', (properties: CharacterProps) => <Character {...properties} browser={browser} />);
