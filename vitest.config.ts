import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Two cores are the smallest machine the suite runs on; more workers only make timings noisier.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    unstubEnvs: true,
  },
});
