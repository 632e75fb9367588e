import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test that waits the longest comes first, so that the others run beside it. */
class WaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => Number(moduleId.endsWith('e2e/chaos.test.ts'));
    return sorted.sort((a, b) => waits(b) - waits(a));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Two cores are the smallest machine the suite runs on; more workers only make timings noisier.
    maxWorkers: 2,
    sequence: { sequencer: WaitsFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests run real processes against the clock, and CI machines are shared: one stall is no failure, two are.
    retry: process.env['CI'] ? 1 : 0,
    unstubEnvs: true,
  },
});
