import { fstatSync, statSync, writeSync } from 'node:fs';
import { keepCompiled } from './cli/compile-cache.ts';

declare const __DOI_CLI_VERSION__: string | undefined;
declare const __DOI_CLI_HELP__: string | undefined;

/** What the program prints for a command line of one word; the build writes it down. The sources have none. */
const AT_ONCE: Readonly<Record<string, string>> =
  typeof __DOI_CLI_HELP__ === 'string'
    ? { '--version': `${__DOI_CLI_VERSION__}\n`, '--help': __DOI_CLI_HELP__ }
    : {};

/**
 * Prints the version or the help without the rest of the program: installers and scripts ask for them often.
 * @returns false for another command line, for a terminal, whose help has its width and colours, and where the text
 *   cannot be written at once; the program then waits, or says why.
 */
function printAtOnce([word = '', ...others]: readonly string[]): boolean {
  const text = others.length === 0 && Object.hasOwn(AT_ONCE, word) ? AT_ONCE[word] : undefined;
  try {
    if (text === undefined || (word === '--help' && isDevice())) return false;
    writeSync(1, text);
    return true;
  } catch {
    return false;
  }
}

/** Whether stdout is a terminal or another device that is not /dev/null. Asking only for terminals loads streams. */
function isDevice(): boolean {
  const stat = fstatSync(1);
  return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
}

const argv = process.argv.slice(2);
if (!printAtOnce(argv)) {
  keepCompiled(process.env, process.platform);
  const { runProcess } = await import('./process.ts');
  await runProcess(argv);
}
