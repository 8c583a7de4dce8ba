declare module 'range-parser' {
  export default function parseRange(size: number, range: string): { start: number; end: number }[] | -1 | -2;
}
