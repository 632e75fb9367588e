import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of the built program. Their runs build it first. */
const BUILT = [
  'test/e2e/**/*.test.ts',
  'test/{help,man,docs,docs-doors,pictures}.test.ts',
  'test/pipelines/**/*.test.ts',
  'test/credentials/keychain.test.ts',
  'test/{container,recipe-schemas,executable}.test.ts',
  'test/core/package.test.ts',
  'test/harvest/copy/compact.test.ts',
  'test/hostile/{bounds,recipes}.test.ts',
];

/** Tests that take seconds, because they start processes, wait for clocks or try thousands of cases. */
const SLOW = [
  'test/api/http/rate-limiter.test.ts',
  'test/commands/auth/auth.test.ts',
  'test/commands/datafile/datafile.test.ts',
  'test/commands/dois/bulk/bulk.test.ts',
  'test/commands/dois/libreoffice.test.ts',
  'test/commands/dois/write/round-trip.test.ts',
  'test/commands/keys/rotate.test.ts',
  'test/commands/waiting.test.ts',
  'test/disk/lock/lock.test.ts',
  'test/emulator/records/large.test.ts',
  'test/emulator/state/fault-injector.test.ts',
  'test/harvest/copy/{faults,incremental,readers,reopen-windows,run,verify,window-pool}.test.ts',
  'test/harvest/page/splitter.test.ts',
  'test/harvest/store/{crash,read-part}.test.ts',
  'test/hostile/{bulk,copy,cuts,datafile,identity,refusals,refused,wide-list}.test.ts',
  'test/core/{api,client}.test.ts',
  'test/text/redact.test.ts',
];

/** The longest, which start first so that none of them is left alone at the end. */
const LONGEST = ['e2e/chaos', 'e2e/harvest-shards', 'help', 'e2e/bulk', 'docs', 'e2e/secrets'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** What every project sets for itself: one that extends the whole would set up the temporary directory again. */
const COMMON = { setupFiles: ['test/setup.ts'], testTimeout: 60_000, hookTimeout: 60_000, unstubEnvs: true };

export default defineConfig({
  test: {
    globalSetup: ['test/global/temporary.ts', 'scripts/validators.mjs'],
    // What was skipped can be run later, once its tools are there: scripts/skipped-tests.mjs.
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/results.json' }]],
    // Two cores are the smallest machine the suite runs on; more workers only make timings noisier.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: { ...COMMON, name: 'unit', include: ['test/**/*.test.ts'], exclude: [...BUILT, ...SLOW] },
      },
      { test: { ...COMMON, name: 'slow', include: SLOW } },
      { test: { ...COMMON, name: 'program', include: BUILT, globalSetup: ['test/global/build.ts'] } },
    ],
  },
});
