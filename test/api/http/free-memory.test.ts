import { memoryUsage } from 'node:process';
import { expect, it } from 'vitest';
import { freeMemory } from '../../../src/api/http/free-memory.ts';

const MB = 1024 * 1024;

it('frees memory at once, and empties all its views', () => {
  const before = memoryUsage().arrayBuffers;
  const bytes = Buffer.alloc(64 * MB, 1);
  const view = bytes.subarray(5, 500);
  expect(memoryUsage().arrayBuffers - before).toBeGreaterThan(63 * MB);
  freeMemory([bytes, view, bytes]);
  expect(memoryUsage().arrayBuffers - before).toBeLessThan(MB);
  expect([bytes.length, view.length]).toEqual([0, 0]);
  freeMemory([bytes, view]);
});

it('leaves small Buffers alone, which may share their memory with others', () => {
  const bytes = Buffer.from('of the pool');
  const block = Buffer.alloc(64 * 1024, 1);
  freeMemory([bytes, block]);
  expect([bytes.toString(), block.length]).toEqual(['of the pool', 64 * 1024]);
});

// Node 20 leaves such memory alone without an error.
it('leaves memory alone that a program with a large pool shares among Buffers', () => {
  const { poolSize } = Buffer;
  try {
    Buffer.poolSize = 4 * MB;
    while (Buffer.allocUnsafe(MB).buffer.byteLength < 4 * MB);
    const bytes = Buffer.allocUnsafe(MB).fill(1);
    const other = Buffer.from('of another part of the program');
    freeMemory([bytes]);
    expect([bytes.length, other.toString()]).toEqual([MB, 'of another part of the program']);
  } finally {
    Buffer.poolSize = poolSize;
    // The next Buffer begins a pool of the usual size.
    Buffer.allocUnsafe((4 * MB) / 2 - 1);
  }
});
