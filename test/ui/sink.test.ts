import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fileSink } from '../../src/disk/file-sink.ts';
import { CliError, ClosedPipe, stopReason } from '../../src/errors.ts';
import { interruptibleSink, isNowhere, processSink, streamSink } from '../../src/ui/sink.ts';
import { lacks } from '../helpers/platform.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

describe('fileSink', () => {
  it('writes any number of parts, in order', async () => {
    const path = join(temporaryDirectory(), 'out');
    const parts = Array.from({ length: 3000 }, (_, index) =>
      index % 7 === 0 ? '' : `${index}é\n`,
    );
    const fd = openSync(path, 'w');
    const sink = fileSink(fd);
    await sink.write(...parts.slice(0, 10));
    await sink.write(...parts.slice(10).map((part) => Buffer.from(part)));
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe(parts.join(''));
  });
  it.skipIf(lacks('fullDevice'))('fails when the disk is full', async () => {
    const sink = fileSink(openSync('/dev/full', 'w'));
    await expect(sink.write('x')).rejects.toMatchObject({
      kind: 'output',
      exitCode: 1,
      message: /no space/,
    });
  });
});

describe('streamSink', () => {
  it('waits for a slow reader', async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    let done = false;
    const writing = streamSink(stream)
      .write('12345678', '9')
      .then(() => {
        done = true;
      });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(done).toBe(false);
    const read: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => read.push(chunk));
    await writing;
    expect(Buffer.concat(read).toString()).toBe('123456789');
  });
  it.each([
    ['EPIPE', ClosedPipe],
    ['EIO', CliError],
  ])('turns %s into its error', async (code, type) => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });
    await expect(streamSink(stream).write('x')).rejects.toBeInstanceOf(type);
  });
});

describe('interruptibleSink', () => {
  it('says that the output may be cut off where nobody reads it any more', async () => {
    const stop = new AbortController();
    const sink = interruptibleSink({ write: () => new Promise(() => undefined) }, stop.signal);
    const written = sink.write('{"id":"10.5072/a"}\n');
    stop.abort(stopReason('SIGINT'));
    await expect(written).rejects.toMatchObject({
      kind: 'interrupted',
      message: 'interrupted',
      hint: 'the output may end in the middle of a record, because its reader stopped reading',
    });
  });
});

it('is a plain stream where the system cannot tell what a descriptor is', async () => {
  // No system has as many: fstat fails, and not with EBADF.
  const STRANGE = 2 ** 31;
  const stream = new PassThrough();
  await processSink(stream, STRANGE).write('x');
  expect([String(stream.read()), isNowhere(STRANGE)]).toEqual(['x', false]);
});

describe('a descriptor that is not there, as of a program without a console on Windows', () => {
  const NONE = 9999;
  it('takes no secret, and fails at a write', async () => {
    expect(isNowhere(NONE)).toBe(true);
    await expect(processSink(new PassThrough(), NONE).write('x')).rejects.toMatchObject({
      kind: 'output',
    });
  });
});
