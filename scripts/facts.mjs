// Lists the facts of docs/dev/service.md whose sources in lupo have changed since the commit that
// the document names.
// Usage: npm run facts -- <path of a clone of lupo, bare or not> [<commit, HEAD by default>]
// Exit codes: 0 no cited file has changed; 1 facts must be read again; 2 the comparison is not
// possible.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DOCUMENT = fileURLToPath(new URL('../docs/dev/service.md', import.meta.url));
// Hunks then name the method that they are in.
const ATTRIBUTES = fileURLToPath(new URL('facts.gitattributes', import.meta.url));
const MAX_SHOWN = 5;

/** @param {string} message @returns {never} */
function stop(message) {
  console.error(`facts: ${message}`);
  process.exit(2);
}

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  const argv = ['-C', folder, '-c', `core.attributesFile=${ATTRIBUTES}`, ...args];
  const options = /** @type {const} */ ({ encoding: 'utf8', maxBuffer: 1 << 28 });
  const { error, status, stdout, stderr } = spawnSync('git', argv, options);
  if (error) stop(`git cannot be run (${error.message}); install git`);
  if (status !== 0) stop(`git ${args[0]}: ${stderr.trim()}`);
  return stdout.trim();
}

/**
 * The files of lupo that the facts cite, such as `app/models/doi.rb` or `app/models/client.rb:69`.
 *
 * @param {string} text
 */
export function citedFiles(text) {
  return text.split('\n\n').flatMap((paragraph) => {
    const [, id, source] =
      /^\*\*([A-Z]\d+)\*\*.*?\bSource: (.*?)\. Client: /s.exec(paragraph.replaceAll('\n', ' ')) ??
      [];
    if (id === undefined || source === undefined) return [];
    const parts = source.replaceAll(/\([^)]*\)/g, '').split(';');
    const lupo = parts.filter((part) => part.trim().startsWith('lupo: ')).join(' ');
    const files = lupo.matchAll(/([\w./-]+\.(?:rb|ya?ml|md|json|template))(?::(\d+)(?:-(\d+))?)?/g);
    return [...files].map(([, file = '', first, last = first]) => ({
      id,
      file,
      ...(first === undefined ? {} : { lines: [Number(first), Number(last)] }),
    }));
  });
}

/**
 * What has changed in the lines that a fact cites; empty if nothing has.
 *
 * @param {string} folder
 * @param {string} range two commits with `..` between
 * @param {{ file: string, lines?: number[] }} cited
 */
function changesOf(folder, range, { file, lines }) {
  const diff = git(folder, 'diff', '--unified=0', range, '--', file);
  const hunks = [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\S+ @@ ?(.*)$/gm)].filter(
    ([, from, count = '1']) => {
      const [first = 1, last = Infinity] = lines ?? [];
      const end = Number(from) + Math.max(Number(count), 1) - 1;
      return Number(from) <= last && end >= first;
    },
  );
  if (hunks.length === 0) return [];
  const places = [...new Set(hunks.map(([, , , place = '']) => place.trim()))].filter(Boolean);
  const commits = git(folder, 'log', '--oneline', '--no-merges', range, '--', file)
    .split('\n')
    .filter(Boolean);
  const where = places.length > 0 ? ` in ${places.slice(0, MAX_SHOWN).join(', ')}` : '';
  return [
    `${hunks.length} changes${where}`,
    ...commits.slice(0, MAX_SHOWN),
    ...(commits.length > MAX_SHOWN ? [`and ${commits.length - MAX_SHOWN} more commits`] : []),
  ];
}

function main() {
  const [folder, newer = 'HEAD'] = process.argv.slice(2);
  if (folder === undefined) stop('usage: npm run facts -- <path of a clone of lupo> [<commit>]');
  const text = readFileSync(process.env['FACTS_DOCUMENT'] ?? DOCUMENT, 'utf8');
  const base = /`datacite\/lupo`[^.;]*?\scommit ([\da-f]{7,40})/s.exec(text)?.[1];
  if (base === undefined) stop('docs/dev/service.md names no commit of lupo');
  const [from, to] = [base, newer].map((commit) =>
    git(folder, 'rev-parse', '--short', '--verify', `${commit}^{commit}`),
  );
  const known = new Set(git(folder, 'ls-tree', '-r', '--name-only', String(from)).split('\n'));
  let found = 0;
  for (const cited of citedFiles(text)) {
    const changes = known.has(cited.file)
      ? changesOf(folder, `${from}..${to}`, cited)
      : [`does not exist in ${from}`];
    if (changes.length === 0) continue;
    found += 1;
    console.log([`${cited.id} ${cited.file}`, ...changes].join('\n    '));
  }
  console.log(`${found} citations to read again, from ${from} to ${to}`);
  process.exitCode = found > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
