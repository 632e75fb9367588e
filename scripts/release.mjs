// Prepares a release: checks that the version, the tag and the changelog agree and that the
// package can be published, packs it, and writes its notes, checksums, bill of materials, and
// recipes for other package managers. It publishes nothing. node scripts/release.mjs <tag>
// <folder>; archives in the folder also get checksums. With --dry-run, a placeholder for the
// repository is only reported, and npm rehearses publishing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { manifest, root } from './bundling.mjs';
import { writeRecipes } from './packaging.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const [tag = '', name = ''] = positionals;
// Absolute: npm takes a folder and a name for a repository on GitHub.
const folder = resolve(name);
const isRehearsal = values['dry-run'];
const notes = sectionOf(isRehearsal ? 'Unreleased' : manifest.version);

mkdirSync(folder, { recursive: true });
npm('pack', '--silent', '--pack-destination', folder);
const { messages } = await publint({ pkgDir: root, strict: true });
const problems = messages.map((message) => formatMessage(message, manifest));
// package.json has it in the place of the owner until there is one.
if (manifest.repository.url.includes('/OWNER/')) {
  const missing =
    'package.json names no real repository: replace OWNER in repository, homepage and bugs';
  if (isRehearsal) console.error(`release: ${missing}; a release would be refused`);
  else problems.push(missing);
}
if (!isRehearsal && tag !== `v${manifest.version}`) {
  problems.push(`the tag ${tag} is not that of version ${manifest.version}`);
}
if (!isRehearsal && notes === undefined)
  problems.push(`CHANGELOG.md has no section for ${manifest.version}`);
for (const problem of problems) console.error(`release: ${problem}`);
if (problems.length > 0) process.exit(1);

copyFileSync(join(root, 'dist', 'sbom.cdx.json'), join(folder, 'sbom.cdx.json'));
writeFileSync(join(folder, 'NOTES.md'), `${notes}\n`);
const files = readdirSync(folder).filter((file) => /\.(tgz|tar\.gz|json)$/.test(file));
const sums = new Map(
  files.map((file) => {
    const digest = createHash('sha256').update(readFileSync(join(folder, file)));
    return [file, digest.digest('hex')];
  }),
);
const lines = [...sums].map(([file, digest]) => `${digest}  ${file}\n`);
writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
writeRecipes(join(folder, 'packaging'), sums);
console.error(`release: ${files.join(', ')}, SHA256SUMS and NOTES.md are in ${folder}`);
const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);
if (isRehearsal) npm('publish', '--dry-run', '--loglevel=error', '--access', 'public', tarball);

/** The section of the changelog for a version. */
function sectionOf(version) {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const found = sections.find((section) => section.startsWith(`[${version}]`));
  return found?.replace(/^.*\n/, '').trim();
}

function npm(/** @type {string[]} */ ...args) {
  const stdio = /** @type {const} */ (['ignore', 'ignore', 'inherit']);
  execFileSync('npm', args, { cwd: root, stdio, shell: process.platform === 'win32' });
}
