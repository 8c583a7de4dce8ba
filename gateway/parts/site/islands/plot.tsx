import { PlotFigure, type PlotFigureProps } from '../views/plot-figure.tsx';
import { browser } from './lib/browser.ts';
import { mount } from './lib/mount.tsx';

mount('plot', (properties: PlotFigureProps) => (
  <PlotFigure {...properties} browser={browser} locale={browser.locale} />
));
