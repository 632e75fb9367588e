// Prepares a release: checks that the version, the tag and the changelog agree and that the package can be published,
// packs it, and writes its notes, checksums and bill of materials. It publishes nothing.
// node scripts/release.mjs <tag> <folder>; archives that are in the folder get checksums, too. With --dry-run, a
// placeholder for the repository is only said, and npm goes through the steps of publishing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { typeProblems } from './types-check.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (/** @type {string} */ name) => readFileSync(join(root, name), 'utf8');
const manifest = JSON.parse(read('package.json'));

/** What package.json has in the place of the repository's owner until there is one. */
const PLACEHOLDER = /\/OWNER\//;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const [tag = '', name = ''] = positionals;
const folder = resolve(name);
const tarball = pack();
const problems = [...(await packageProblems()), ...(await typeProblems(tarball)), ...versionProblems()];
const isPlaceholder = PLACEHOLDER.test(manifest.repository.url);
if (isPlaceholder && !values['dry-run']) {
  problems.push('package.json names no real repository: replace OWNER in repository, homepage and bugs');
}
for (const problem of problems) console.error(`release: ${problem}`);
if (problems.length > 0) process.exit(1);
if (isPlaceholder)
  console.error('release: package.json names no real repository yet; a release would be refused');
writeRelease();
if (values['dry-run']) npm('publish', '--dry-run', '--loglevel=error', '--access', 'public', tarball);

/** What publint finds in the package. */
async function packageProblems() {
  const { messages } = await publint({ pkgDir: root, strict: true });
  return messages.map((message) => formatMessage(message, manifest));
}

function versionProblems() {
  const found = [];
  if (tag !== `v${manifest.version}`) found.push(`the tag ${tag} is not that of version ${manifest.version}`);
  if (notes() === undefined) found.push(`CHANGELOG.md has no section for ${manifest.version}`);
  return values['dry-run'] ? [] : found;
}

/** The section of the changelog for this version; in a dry run, that of the next one. */
function notes() {
  const title = values['dry-run'] ? 'Unreleased' : manifest.version;
  return read('CHANGELOG.md')
    .split(/^## /m)
    .find((section) => section.startsWith(`[${title}]`))
    ?.replace(/^.*\n/, '')
    .trim();
}

/** @returns the path of the tarball, absolute: npm takes a folder and a name for a repository on GitHub. */
function pack() {
  mkdirSync(folder, { recursive: true });
  npm('pack', '--silent', '--pack-destination', folder);
  return resolve(folder, `${manifest.name}-${manifest.version}.tgz`);
}

function npm(/** @type {string[]} */ ...args) {
  execFileSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

function writeRelease() {
  copyFileSync(join(root, 'dist', 'sbom.cdx.json'), join(folder, 'sbom.cdx.json'));
  writeFileSync(join(folder, 'NOTES.md'), `${notes()}\n`);
  const files = readdirSync(folder).filter((name) => /\.(tgz|tar\.gz|json)$/.test(name));
  const sums = files.map((name) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return `${hash}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  console.error(`release: ${files.join(', ')}, SHA256SUMS and NOTES.md are in ${folder}`);
}
