import * as grammar from './grammar.ts';
import { SCAN_CODE } from './scan-code.ts';

// Its types come with those of a browser, which would let through names that Node does not have.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
};

/** How deep objects and arrays may be nested, the document itself included. */
export const MAX_DEPTH = 1000;
/** So many bytes are scanned in one go. */
export const PIECE_BYTES = 256 * 1024;

// The memory of the code, in bytes: the table, the stack of states, the registers, and the text. Sixteen bytes of text
// are read at a time, also at its very end.
const WASM_PAGE = 64 * 1024;
const TABLE = 0;
const STACK = grammar.NEXT.byteLength;
const REGISTERS = WASM_PAGE - 64;
const TEXT = WASM_PAGE;
const memory = new WebAssembly.Memory({ initial: (TEXT + PIECE_BYTES) / WASM_PAGE + 1 });
new Uint16Array(memory.buffer, TABLE).set(grammar.NEXT);
const stack = new Uint16Array(memory.buffer, STACK, MAX_DEPTH + 1);
const registers = new Uint32Array(memory.buffer, REGISTERS, 5);
const text = new Uint8Array(memory.buffer, TEXT, PIECE_BYTES);
const [STATE, AFTER, ENDED, DEPTH, ACTION] = [0, 1, 2, 3, 4] as const;

const { expectation: _, NEXT: __, ...states } = grammar;
const run = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(SCAN_CODE, 'base64')), {
  page: { memory, TABLE, STACK, REGISTERS, MAX_DEPTH },
  grammar: states,
}).exports['scan'] as (at: number, end: number) => number;

const BLANK = 0x20;

/**
 * Walks over the text of one document by the table of page-grammar.ts, from one action that concerns records to the
 * next. The walk itself is `scan.wat`: it takes a third of the time that the same loop takes in JavaScript, because it
 * looks at sixteen bytes of a string at once. Its memory is shared by all documents, which take it in turns.
 */
export class Scan {
  readonly #registers = Uint32Array.of(grammar.START, grammar.TOP_NEXT, grammar.COLON, 1, 0);
  #stack = new Uint16Array(1);
  #at = TEXT;
  #end = TEXT;

  /** What the next byte is looked up in. */
  get state(): number {
    return this.#registers[STATE] as number;
  }

  /** Begins with the next piece of the text, of at most PIECE_BYTES. Nothing else may be scanned until its end. */
  begin(piece: Uint8Array): void {
    text.set(piece);
    stack.set(this.#stack);
    registers.set(this.#registers);
    this.#at = TEXT;
    this.#end = TEXT + piece.length;
  }

  /** Goes on to the next action. @returns the offset of its byte in the piece, or -1 when the piece has ended. */
  next(): number {
    const at = run(this.#at, this.#end);
    this.#at = at + 1;
    if (at < this.#end) return at - TEXT;
    this.#registers.set(registers);
    this.#stack = stack.slice(0, registers[DEPTH]);
    return -1;
  }

  /** What is to be done there. */
  get action(): number {
    return registers[ACTION] as number;
  }

  /** What would have been accepted there. */
  get expected(): string {
    return grammar.expectation(registers[STATE] as number);
  }

  /** Goes on in another state. */
  go(state: number): void {
    registers[STATE] = state;
  }

  /** Goes on in a string, and behind it in another state. */
  string(ended: number): void {
    registers[STATE] = grammar.STRING;
    registers[ENDED] = ended;
  }

  /** Goes on in an object or array; its values are followed by the state `after`. */
  enter(state: number, after: number): void {
    const depth = registers[DEPTH] as number;
    stack[depth] = registers[AFTER] as number;
    registers[DEPTH] = depth + 1;
    registers[AFTER] = after;
    registers[STATE] = state;
  }

  /** Goes on behind the object or array at hand. */
  leave(): void {
    const depth = (registers[DEPTH] as number) - 1;
    const after = stack[depth] as number;
    registers[DEPTH] = depth;
    registers[AFTER] = after;
    registers[STATE] = after;
  }

  /** Goes past the blanks that follow. */
  skipBlanks(): void {
    while (this.#at < this.#end && text[this.#at - TEXT] === BLANK) this.#at += 1;
  }
}
