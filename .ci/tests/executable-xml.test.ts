import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { libxml2 } from '../../scripts/executable/libxml2.mjs';
import { temporaryDirectory } from '../../test/helpers/temporary.ts';

it('the single executable, which is CommonJS, reads XML without a file of the library', async () => {
  const outfile = join(temporaryDirectory(), 'main.cjs');
  const contents = `
    import { prepareXml } from './src/metadata/libxml2.ts';
    import { readDataciteXml } from './src/metadata/xml.ts';
    const text = '<resource xmlns="http://datacite.org/schema/kernel-4"/>';
    prepareXml().then(() => console.log(readDataciteXml(Buffer.from(text)).problems[0].message));`;
  await build({
    ...{ stdin: { contents, resolveDir: '.', loader: 'ts' }, bundle: true, platform: 'node' },
    ...{ format: 'cjs', supported: { 'dynamic-import': false }, mainFields: ['module', 'main'] },
    ...{ plugins: [libxml2], outfile, logLevel: 'error' },
  });
  expect(execFileSync(process.execPath, [outfile], { cwd: '/', encoding: 'utf8' })).toBe(
    'lacks identifier, creators, titles, publisher, publicationYear, resourceType\n',
  );
});
