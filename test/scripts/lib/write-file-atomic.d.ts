declare module 'write-file-atomic' {
  export default function writeFileAtomic(file: string, content: Uint8Array): Promise<void>;
}
