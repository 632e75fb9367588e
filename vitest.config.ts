import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What `npm test` runs of the built program: its exit codes, its credentials and its notices. */
const SMOKE = ['test/e2e/{auth,exit-codes,notices}.test.ts'];

/** Tests of the built program. Their runs build it first. */
const BUILT = [
  'test/e2e/**/*.test.ts',
  'test/{help,man,docs}.test.ts',
  'test/pipelines/**/*.test.ts',
  'test/credentials/keychain.test.ts',
  'test/core/package.test.ts',
  'test/harvest/copy/compact.test.ts',
  'test/hostile/bounds.test.ts',
];

/** Packages, recipes, pictures and the site, which no change of the program breaks. */
const DELIVERY = ['.ci/tests/**/*.test.ts'];

/**
 * The files that need more than five seconds of processor time, and why; the longest first. They
 * start first, so that none of them is left alone at the end.
 */
const SLOW: Readonly<Record<string, string>> = {};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const slow = Object.keys(SLOW);
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = slow.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      // A process serves files of one project: where those of another come between, it ends.
      return (project.name === 'unit' ? 100 : 0) + (at === -1 ? slow.length : at);
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** What every project sets for itself: one that extends the whole would set up the temporary directory again. */
const COMMON = {
  setupFiles: ['test/setup.ts'],
  // A machine that does ten times as much as it has cores for takes ten times as long. No test has a limit of its own:
  // it waits for what would never end, so that it fails at this limit only.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
  unstubEnvs: true,
  // A process and its modules serve many files: new ones for each file take longer than most files. A module that one
  // file replaces (vi.mock) stays replaced in all that follow, so none does.
  isolate: false,
};

const BUILDS = { globalSetup: ['test/global/build.ts'] };

export default defineConfig({
  test: {
    globalSetup: ['test/global/temporary.ts', 'scripts/validators.mjs'],
    // scripts/test-totals.mjs sums the reports of several runs.
    reporters: [
      'default',
      ['json', { outputFile: process.env['TEST_REPORT'] ?? 'node_modules/.vitest/results.json' }],
    ],
    // Without -u a missing snapshot fails, as it does in CI.
    update: 'none',
    // Two cores are the smallest machine the suite runs on. Four workers use them while some of their tests wait.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...COMMON,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...BUILT, ...SMOKE],
        },
      },
      { test: { ...COMMON, ...BUILDS, name: 'smoke', include: SMOKE } },
      { test: { ...COMMON, ...BUILDS, name: 'program', include: BUILT, exclude: SMOKE } },
      { test: { ...COMMON, ...BUILDS, name: 'delivery', include: DELIVERY } },
    ],
  },
});
