import { NewerRecord, type NewerRecordProps } from '../views/newer-record.tsx';
import { browser } from './lib/browser.ts';
import { mount } from './lib/mount.tsx';

mount('newer-record', (properties: NewerRecordProps) => <NewerRecord {...properties} browser={browser} />);
