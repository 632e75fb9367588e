import type { Corpus } from '../records/corpus.ts';
import { createWorld, type World, type WorldOptions } from '../state/world.ts';

/** The running emulator behind its HTTP server. */
export interface Service {
  readonly corpus: Corpus;
  readonly latencyMs: number;
  /** Milliseconds since 1970, by the machine's clock. */
  readonly started: number;
  world: World;
  /** Restores the state at the start. */
  reset(): void;
}

/** @throws Error for an account that cannot exist */
export function createService(corpus: Corpus, options: WorldOptions, latencyMs: number): Service {
  return {
    corpus,
    latencyMs,
    started: Date.now(),
    world: createWorld(corpus, options),
    reset() {
      this.world = createWorld(corpus, options);
    },
  };
}
