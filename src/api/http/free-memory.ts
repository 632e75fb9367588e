// Less is not worth a message. It is also more than the memory that Node shares among small Buffers.
const LEAST_BYTES = 256 * 1024;

let nowhere: InstanceType<typeof MessagePort> | undefined;

/**
 * Frees the memory of large Buffers at once. All views of it are empty from then on, so nothing may use them any
 * more, a write in progress included.
 *
 * Otherwise memory outside of the heap is free when the garbage collector comes across its owner, and each time it
 * has grown by some tens of megabytes, the collector goes through the whole heap: for a list, that takes a sixth to a
 * third of all processor time.
 */
export function freeMemory(buffers: Iterable<Buffer>): void {
  const memory = new Set<ArrayBuffer>();
  for (const { buffer } of buffers) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_BYTES) memory.add(buffer);
  }
  if (memory.size === 0) return;
  // What is sent leaves this thread, and behind a closed port nobody receives it. `ArrayBuffer.transfer` says it more
  // plainly, but Node has it only from version 21 on.
  nowhere ??= closedPort();
  try {
    nowhere.postMessage(undefined, [...memory]);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'DataCloneError')) throw error;
    // A program that uses the library may have enlarged `Buffer.poolSize`. Node refuses to send memory that it shares
    // among Buffers; the collector frees it.
  }
}

function closedPort(): InstanceType<typeof MessagePort> {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
