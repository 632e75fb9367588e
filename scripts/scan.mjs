// Compiles src/harvest/page/scan.wat into src/harvest/page/scan-code.ts: npm run scan.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const folder = new URL('../src/harvest/page/', import.meta.url);
const WIDTH = 100;

/** The text of scan-code.ts. */
export async function scanCode() {
  const source = await readFile(new URL('scan.wat', folder), 'utf8');
  const module = (await wabt()).parseWat('scan.wat', source, { simd: true });
  module.validate();
  const code = Buffer.from(module.toBinary({}).buffer).toString('base64');
  const lines = code.match(new RegExp(`.{1,${WIDTH}}`, 'g')).map((line) => `  '${line}',\n`);
  return [
    '/** `scan.wat` as WebAssembly, in base64. Made by `npm run scan`. */\n',
    `export const SCAN_CODE = [\n${lines.join('')}].join('');\n`,
  ].join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(new URL('scan-code.ts', folder), await scanCode());
}
