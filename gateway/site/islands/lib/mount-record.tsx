import { NewerRecord, type NewerRecordProps } from '../../views/newer-record.tsx';
import { PlotFigure, type PlotFigureProps } from '../../views/plot-figure.tsx';
import { browser } from './browser.ts';
import { mount } from './mount.tsx';

mount('plot', (properties: PlotFigureProps) => (
  <PlotFigure {...properties} browser={browser} locale={browser.locale} />
));
mount('newer-record', (properties: NewerRecordProps) => <NewerRecord {...properties} browser={browser} />);
