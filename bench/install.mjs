// What an installation costs, and how long --version takes afterwards, against tools that people
// install in the same way. It needs the npm registry, and npm is as fast as the network: compare
// within one run.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { measure, summary } from './measure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const OTHERS = [
  { name: 'giget', program: 'giget' },
  { name: 'zx', program: 'zx' },
  { name: '@biomejs/biome', program: 'biome' },
  { name: 'wrangler', program: 'wrangler' },
];

/**
 * @param {{ directory: string, runs: number, startupRuns: number }} options `directory` receives
 * scratch files
 */
export async function benchInstall({ directory, runs, startupRuns }) {
  console.log(`installation: ${runs} runs each, in turn; start-up: ${startupRuns} runs each`);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: root });
  const tarball = join(
    directory,
    readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? '',
  );
  const own = { program: 'doi-cli', spec: tarball };
  const candidates = [
    { name: 'doi-cli', ...own, options: [] },
    { name: 'doi-cli, without the keychain', ...own, options: ['--omit=optional'] },
    ...OTHERS.map((other) => ({ ...other, spec: other.name, options: [] })),
  ].map((each, index) => ({
    ...each,
    folder: join(directory, `install-${index}`),
    cold: [],
    warm: [],
  }));
  for (let run = 0; run < runs; run++) {
    for (const candidate of candidates) {
      rmSync(candidate.folder, { recursive: true, force: true });
      candidate.cold.push(install(candidate));
      rmSync(join(candidate.folder, 'node_modules'), { recursive: true });
      rmSync(join(candidate.folder, 'package-lock.json'));
      candidate.warm.push(install(candidate));
    }
  }
  const starts = await measure(
    [
      { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
      ...candidates.map(({ name, program, folder }) => ({
        name,
        command: [join(folder, 'node_modules', '.bin', program), '--version'],
      })),
    ],
    { runs: startupRuns, warmups: 2, scratchFile: join(directory, 'time-install.txt') },
  );
  const [bare, ...medians] = starts.map((result) => summary(result, 'wallMs').median);
  console.log(
    '| | seconds, empty cache | seconds, warm cache | packages | on disk ' +
      '| `--version` / `node -e 0` |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const [index, { name, cold, warm, folder }] of candidates.entries()) {
    const { packages, bytes } = contents(folder);
    const cells = [
      name,
      median(cold),
      median(warm),
      packages,
      megabytes(bytes),
      (medians[index] / bare).toFixed(2),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** @returns {number} seconds. Each candidate has a cache of its own, in its folder. */
function install({ folder, spec, options }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const started = performance.now();
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...options, spec], {
    cwd: folder,
    env: { ...process.env, npm_config_cache: join(folder, 'cache') },
    stdio: 'ignore',
  });
  return (performance.now() - started) / 1000;
}

function contents(folder) {
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  return { packages: Object.keys(packages).length, bytes };
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(1);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
