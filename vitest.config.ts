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
  'test/library/package.test.ts',
  'test/harvest/copy/compact.test.ts',
  'test/hostile/bounds.test.ts',
];

/** Packages, recipes, pictures and the site, which no change of the program breaks. */
const DELIVERY = ['.ci/tests/**/*.test.ts'];

/**
 * The files that need more than five seconds of processor time, and why; the longest first. They
 * start first, so that none of them is left alone at the end.
 */
const SLOW: Readonly<Record<string, string>> = {
  docs: 'runs every example of the documents',
  'hostile/bounds': 'measures the memory of the program while answers never end',
  help: 'runs every example of the help',
  'e2e/harvest-shards': 'harvests with four processes at once',
  'e2e/bulk': 'reads more than 100,000 lines, and kills its program',
  'harvest/export/export': 'writes and reads all tables after each step',
  'e2e/writes': 'starts the program for each step of ten runs',
  'e2e/terminal': 'starts the program on a terminal, in several widths',
  'e2e/exit-codes': 'starts a process for each way to end',
  'e2e/windows-files': 'starts many harvests at once',
  'hostile/copy': 'harvests, damages and repairs a copy for each kind of damage',
  'e2e/secrets': 'searches all output of all commands under each fault',
  'e2e/crash': 'starts a process for each way to crash',
  'commands/dois/edits/killed-runs': 'kills an update after each kind of step',
  'disk/lock/lock': 'has processes that compete for a lock',
  'emulator/conformance/conformance': 'has an emulator for each of 550 expectations',
  'harvest/copy/faults': 'harvests once for each kind of fault',
  'harvest/copy/run': 'harvests twice for each way to continue',
  'e2e/chaos': 'kills harvests and lists until they are complete',
  'library/package': 'compiles the examples of the library',
  'pipelines/export': 'reads tables with each engine',
};

/** A process serves files of one project, and ends where those of another come between. */
const PROJECTS = ['program', 'delivery', 'smoke', 'unit'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const slow = Object.keys(SLOW);
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = slow.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return PROJECTS.indexOf(project.name) * 100 + (at === -1 ? slow.length : at);
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** What every project sets for itself: one that extends the whole would set up the temporary directory again. */
const COMMON = {
  setupFiles: ['test/setup.ts'],
  // A machine that does ten times as much as it has cores for takes ten times as long. No test has a limit of its own:
  // it waits for what would never end, so that it fails at this limit only.
  testTimeout: 240_000,
  hookTimeout: 240_000,
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
