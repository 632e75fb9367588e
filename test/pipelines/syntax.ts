import { dirname, join } from 'node:path';
import { ciRequire } from '../helpers/ci-packages.ts';

interface SyntaxNode {
  readonly text: string;
}

/** The places where a script is not understood, by the grammar that Visual Studio Code uses. */
export async function syntaxErrors(
  script: string,
  language: 'powershell' | 'ruby',
): Promise<string[]> {
  const wasm = dirname(ciRequire.resolve('@vscode/tree-sitter-wasm'));
  const { Language, Parser } = ciRequire('@vscode/tree-sitter-wasm');
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(join(wasm, `tree-sitter-${language}.wasm`)));
  const root = parser.parse(script)?.rootNode;
  if (root === undefined) throw new Error('the parser gave no tree');
  return root
    .descendantsOfType(['ERROR'])
    .concat(root.hasError ? [root] : [])
    .map((node: SyntaxNode | null) => node?.text ?? '');
}
