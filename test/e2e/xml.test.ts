import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';

const XML = 'test/fixtures/xml/repository.xml';
const LIST = 'test/fixtures/dois-2024.json';

/** A module hook that refuses libxml2-wasm, as where it is not installed. */
const HOOK =
  "export const resolve=(name,context,next)=>{if(name.startsWith('libxml2-wasm'))" +
  "throw(Object.assign(new(Error)('missing'),{code:'ERR_MODULE_NOT_FOUND'}));" +
  'return(next(name,context))};';
const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
const code = `import{register}from'node:module';register(${JSON.stringify(hook)});`;
const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };

const folder = sharedDirectory();
const written = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('the library that reads XML', () => {
  it.each([
    ['--help', () => ['--help']],
    ['JSON', () => [written('a.json', '{"doi":"10.5072/a","titles":[{"title":"A"}]}')]],
    ['broken JSON', () => [written('b.ndjson', '{"xml":\n{"xml":["PD94"],"doi":"10.5072/a"}\n')]],
    ['CSV', () => [written('a.csv', 'doi,titles[0].title\n10.5072/a,A\n')]],
    // Records of the service contain their XML, which is not sent.
    ['records that were read', () => [LIST]],
    ['RIS in xml', () => [written('ris.json', '{"doi":"10.5072/a","xml":"VFkgIC0gREFUQQ=="}')]],
  ])('is not loaded for %s', async (_, argv) => {
    const [file = ''] = argv();
    const line = file.startsWith('-') ? [file] : ['dois', 'validate', '--file', file];
    const [without, usual] = [await program(line, { env }), await program(line)];
    expect(without).toEqual(usual);
    expect(usual.stderr).not.toMatch(/^error/m);
  });

  it('is needed for XML, in a file and in JSON, and its absence has an error', async () => {
    const message =
      /libxml2-wasm, which reads XML, cannot be loaded\nhint: install doi-cli with npm/;
    const xml = Buffer.from('<resource/>').toString('base64');
    const json = JSON.stringify({ doi: '10.5072/a', xml });
    const files = [
      ...[XML, written('x.json', json), written('x.csv', `doi,xml\n10.5072/a,${xml}\n`)],
      written('y.json', json.replace('xml', '\\u0078ml')),
    ];
    for (const file of files) {
      const argv = ['dois', 'validate', '--file', file];
      const { code, stderr } = await program(argv, { env });
      expect([code, stderr]).toEqual([1, message]);
    }
    const { code, stdout } = await program(['dois', 'validate', '--file', XML]);
    expect([code, stdout]).toEqual([0, '']);
  });
});
