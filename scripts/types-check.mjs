// What arethetypeswrong finds in a packed package, for programs that are ES modules or bundled:
// node scripts/types-check.mjs <tarball>
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { filterProblems, problemKindInfo } from '@arethetypeswrong/core/problems';

/** How such programs find types. The package has nothing for require(). */
const RESOLUTIONS = ['node16-esm', 'bundler'];

/**
 * @param {string} tarball
 * @returns {Promise<string[]>} a sentence for each problem; none for a package that promises no types
 */
export async function typeProblems(tarball) {
  const checked = createPackageFromTarballData(readFileSync(tarball));
  const manifest = JSON.parse(checked.readFile(`/node_modules/${checked.packageName}/package.json`));
  if (!/"types"/.test(JSON.stringify(manifest.exports ?? {}))) return [];
  const analysis = await checkPackage(checked);
  if (!analysis.types) return ['package.json promises types, and there are none'];
  const found = RESOLUTIONS.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind }));
  const sentences = found.map((problem) => {
    const { title, docsUrl } = problemKindInfo[problem.kind];
    return `types: ${title}${'entrypoint' in problem ? ` (${problem.entrypoint})` : ''}: ${docsUrl}`;
  });
  return [...new Set(sentences)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = await typeProblems(process.argv[2] ?? '');
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
