import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ClosedPipe, stopReason } from '../../../../src/errors.ts';
import type { Sink } from '../../../../src/ui/sink.ts';
import { bufferSink } from '../../../helpers/run.ts';
import type { Received, Watch } from './recorder.ts';

/** How a run ends before its time. */
export interface Stop {
  /** The request at which it ends, counted by method. A signal arrives with its answer. */
  readonly at: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${number}`;
  /** `kill` leaves what is on disk when the request arrives, and no answer reaches the client. */
  readonly by: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'kill';
  /** Whether the killed run's last request never reaches the service. */
  readonly isLost?: true;
}

export interface Ending {
  readonly signal: AbortSignal;
  readonly watch: Watch;
  /** Puts the folder back as a killed run has left it. Call it when the run is over. */
  finish(): void;
  /** The requests of the run, without those that a killed process would not have sent. */
  sent(all: readonly Received[]): readonly Received[];
}

/** Ends a run that works in a folder. */
export function ending(dir: string, { at, by, isLost }: Stop): Ending {
  const [method = '', place] = at.split(' ');
  const controller = new AbortController();
  const copy = `${dir}-killed`;
  let [asked, matching, isOver, last] = [0, 0, false, Number.POSITIVE_INFINITY];
  const isLast = (received: Received) => received.method === method && matching === Number(place);
  const watchKill: Watch = {
    asked(received) {
      if (isOver) return false;
      asked += 1;
      if (received.method === method) matching += 1;
      if (!isLast(received)) return true;
      [isOver, last] = [true, asked];
      cpSync(dir, copy, { recursive: true });
      return !isLost;
    },
    answered() {
      if (!isOver) return true;
      controller.abort(stopReason('SIGTERM'));
      return false;
    },
  };
  const watchSignal: Watch = {
    answered(received) {
      if (received.method === method) matching += 1;
      if (isLast(received) && by !== 'kill') controller.abort(stopReason(by));
      return true;
    },
  };
  return {
    signal: controller.signal,
    watch: by === 'kill' ? watchKill : watchSignal,
    finish() {
      expect(controller.signal.aborted, `${by} at ${at}`).toBe(true);
      if (by === 'kill') restore(dir, copy);
    },
    sent: (all) => all.slice(0, last),
  };
}

/**
 * Puts a folder back as its copy has it. The lock stays away: its owner, this process, is alive.
 */
function restore(dir: string, copy: string): void {
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
  cpSync(copy, dir, { recursive: true, filter: (name) => !name.endsWith('.lock') });
  rmSync(copy, { recursive: true });
}

/** A sink whose reader goes away after some writes. */
export function closingSink(writes: number): Sink & { text(): string } {
  const { write, text } = bufferSink();
  let left = writes;
  return {
    text,
    async write(...chunks) {
      if (left === 0) throw new ClosedPipe(undefined);
      left -= 1;
      await write(...chunks);
    },
  };
}
