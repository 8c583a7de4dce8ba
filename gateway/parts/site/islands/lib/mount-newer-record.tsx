import { NewerRecord, type NewerRecordProps } from '../../views/newer-record.tsx';
import { browser } from './browser.ts';
import { mount } from './mount.tsx';

mount('newer-record', (properties: NewerRecordProps) => <NewerRecord {...properties} browser={browser} />);
