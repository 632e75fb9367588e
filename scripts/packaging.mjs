// Recipes for other package managers, made from the templates in packaging/ for one release.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, root } from './bundling.mjs';

const templates = join(root, 'packaging');

/**
 * Writes the recipes into a folder. What is not known yet, such as the checksum of an archive that
 * a rehearsal does not build, stays as it is in the template.
 *
 * @param {string} folder
 * @param {ReadonlyMap<string, string>} sums the SHA-256 of each file of the release
 */
export function writeRecipes(folder, sums) {
  const { version, repository } = manifest;
  const values = {
    OWNER: /github\.com\/([\w-]+)\//.exec(repository.url)?.[1],
    VERSION: version,
    PACKAGE_SHA256: sums.get(`doi-cli-${version}.tgz`),
    WINDOWS_SHA256: sums.get(`doi-cli-${version}-win32-x64.tar.gz`),
  };
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(templates)) {
    let recipe = readFileSync(join(templates, name), 'utf8');
    for (const [placeholder, value] of Object.entries(values))
      recipe = recipe.replaceAll(placeholder, value ?? placeholder);
    writeFileSync(join(folder, name), recipe);
  }
}
