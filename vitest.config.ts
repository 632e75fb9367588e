import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Two cores are the smallest machine the suite runs on; more workers only make timings noisier.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests run real processes against the clock, and CI machines are shared: one stall is no failure, two are.
    retry: process.env['CI'] ? 1 : 0,
    unstubEnvs: true,
  },
});
