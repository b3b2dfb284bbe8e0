/**
 * Runs FFmpeg's WebAssembly build as if it were the program: `CORE WASM ARGUMENT…`. Its /dev/fd/0, its outputs and
 * its standard error are those of this process, read and written synchronously, so that nothing piles up in memory.
 */
import { fstatSync, readFileSync, readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The part of Emscripten's file system that is used here. */
interface StreamOps {
  read(stream: unknown, buffer: Int8Array, offset: number, length: number, position: number): number;
  write(stream: unknown, buffer: Int8Array, offset: number, length: number): number;
}
interface Core {
  readonly FS: {
    mkdir(path: string): void;
    writeFile(path: string, content: string): void;
    lookupPath(path: string): { node: { stream_ops: StreamOps } };
    /** Gives the lowest descriptor that is free. */
    open(path: string, flags: string): { stream_ops: StreamOps };
    readonly streams: ({ stream_ops: StreamOps } | null)[];
  };
  setLogger(log: (line: { message: string }) => void): void;
  /** FFmpeg's exit code. */
  exec(...args: string[]): number;
}
/** What is used here of WebAssembly, which the type library of es2024 leaves out. */
declare const WebAssembly: {
  readonly Memory: { readonly prototype: { readonly buffer: ArrayBuffer; grow(pages: number): number } };
};
type CreateCore = (options: { wasmBinary: Uint8Array }) => Promise<Core>;

const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const STDERR = 2;

/** Lets WebAssembly's memory grow up to a bound only; what asks for more is told that there is none. */
const boundMemory = (): void => {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65_536 > MAX_MEMORY_BYTES) throw new RangeError('out of memory');
    return grow.call(this, pages);
  };
};

const load = (corePath: string, wasmPath: string): Promise<Core> => {
  // The build is made for browsers' workers: on loading it asks for the address of its script, and has no use for it.
  Object.assign(globalThis, { self: { location: { href: '' } } });
  const createCore: CreateCore = createRequire(import.meta.url)(corePath);
  return createCore({ wasmBinary: readFileSync(wasmPath) });
};

/** Makes /dev/fd/0 the file on descriptor 0, of its true length and read where FFmpeg wants to. */
const connectInput = ({ FS }: Core): void => {
  FS.mkdir('/dev/fd');
  FS.writeFile('/dev/fd/0', '');
  const { node } = FS.lookupPath('/dev/fd/0');
  Object.defineProperty(node, 'usedBytes', { value: fstatSync(0).size });
  node.stream_ops = {
    ...node.stream_ops,
    read: (_stream, buffer, offset, length, position) => readSync(0, buffer, offset, length, position),
  };
};

/** Makes what FFmpeg writes to a descriptor what this process writes to its own of that number. */
const connectOutput = ({ FS }: Core, descriptor: number): void => {
  const stream = FS.streams[descriptor] ?? FS.open('/dev/null', 'w');
  stream.stream_ops = {
    ...stream.stream_ops,
    write: (_stream, buffer, offset, length) => writeSync(descriptor, buffer, offset, length),
  };
};

const descriptorsIn = (args: readonly string[]): readonly number[] =>
  args.flatMap((argument) => /^pipe:(\d)$/.exec(argument)?.slice(1).map(Number) ?? []);

const [corePath, wasmPath, ...ffmpegArguments] = process.argv.slice(2) as [string, string, ...string[]];
boundMemory();
const core = await load(corePath, wasmPath);
connectInput(core);
for (const descriptor of descriptorsIn(ffmpegArguments)) connectOutput(core, descriptor);
core.setLogger(({ message }) => writeSync(STDERR, `${message}\n`));
process.exitCode = core.exec(...ffmpegArguments) === 0 ? 0 : 1;
