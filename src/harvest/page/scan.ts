// WebAssembly, so that a harvest is as fast as a bare download: the splitter reads 955 MB/s, and a
// plain loop over the bytes in JavaScript, even without the grammar, 356 (measured). Only
// WebAssembly compares sixteen bytes of a string at once.

import * as grammar from './grammar.ts';
import { SCAN_CODE } from './scan-code.ts';

// TypeScript's own types come with a browser's types, which declare names that Node does not have.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Record<string, unknown> };
};

/** The greatest depth of objects and arrays, including the document itself. */
export const MAX_DEPTH = 1000;
export const PIECE_BYTES = 256 * 1024;

// Offsets in the memory of the code, in bytes: the table at 0, the stack of states, the registers,
// and the text. There is room after the text, because the code reads sixteen bytes at a time.
const WASM_PAGE = 64 * 1024;
const STACK = grammar.NEXT.byteLength;
const REGISTERS = WASM_PAGE - 64;
const TEXT = WASM_PAGE;
const memory = new WebAssembly.Memory({ initial: (TEXT + PIECE_BYTES) / WASM_PAGE + 1 });
new Uint16Array(memory.buffer).set(grammar.NEXT);
const stack = new Uint16Array(memory.buffer, STACK, MAX_DEPTH + 1);
const registers = new Uint32Array(memory.buffer, REGISTERS, 5);
const text = new Uint8Array(memory.buffer, TEXT, PIECE_BYTES);
const [STATE, AFTER, ENDED, DEPTH, ACTION] = [0, 1, 2, 3, 4] as const;

const { expectation: _, NEXT: __, ...states } = grammar;
const run = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(SCAN_CODE, 'base64')), {
  page: { memory, STACK, REGISTERS, MAX_DEPTH },
  grammar: states,
}).exports['scan'] as (at: number, end: number) => number;

const BLANK = 0x20;

/**
 * Scans a document from one action on records to the next. All documents share the memory: finish
 * one before the next one begins.
 */
export class Scan {
  #at = TEXT;
  #end = TEXT;

  constructor() {
    registers.set([grammar.START, grammar.TOP_NEXT, grammar.COLON, 1, 0]);
  }

  /** The row of the table for the next byte. */
  get state(): number {
    return registers[STATE] as number;
  }

  /** Begins the next piece of at most PIECE_BYTES. */
  begin(piece: Uint8Array): void {
    text.set(piece);
    this.#at = TEXT;
    this.#end = TEXT + piece.length;
  }

  /** Scans up to the next action. Returns the offset of its byte in the piece, or -1 at its end. */
  next(): number {
    const at = run(this.#at, this.#end);
    this.#at = at + 1;
    return at < this.#end ? at - TEXT : -1;
  }

  get action(): number {
    return registers[ACTION] as number;
  }

  get expected(): string {
    return grammar.expectation(this.state);
  }

  go(state: number): void {
    registers[STATE] = state;
  }

  /** Continues in a string, and after it in the state `ended`. */
  string(ended: number): void {
    registers[STATE] = grammar.STRING;
    registers[ENDED] = ended;
  }

  /** Continues in an object or array, with the state `after` after each of its values. */
  enter(state: number, after: number): void {
    const depth = registers[DEPTH] as number;
    stack[depth] = registers[AFTER] as number;
    registers[DEPTH] = depth + 1;
    registers[AFTER] = after;
    registers[STATE] = state;
  }

  leave(): void {
    const depth = (registers[DEPTH] as number) - 1;
    const after = stack[depth] as number;
    registers[DEPTH] = depth;
    registers[AFTER] = after;
    registers[STATE] = after;
  }

  skipBlanks(): void {
    while (this.#at < this.#end && text[this.#at - TEXT] === BLANK) this.#at += 1;
  }
}
