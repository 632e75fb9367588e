import { fstatSync, statSync, writeSync } from 'node:fs';
import { keepCompiled } from './cli/compile-cache.ts';
import { type Help, helpText, styledHelp } from './cli/help-text.ts';
import { Look, wantsColor } from './ui/look.ts';

declare const __DOI_CLI_VERSION__: string | undefined;
declare const __DOI_CLI_HELP__: Help | undefined;

/** What the program prints for a command line of one word; the build writes it down. The sources have none. */
const AT_ONCE: Readonly<Record<string, () => string | undefined>> =
  typeof __DOI_CLI_HELP__ === 'object'
    ? { '--version': version, '-V': version, '--help': help, '-h': help, help }
    : {};

function version(): string {
  return `${__DOI_CLI_VERSION__}\n`;
}

/** The help, as wide as a terminal and with its colours; undefined where it may need a pager. */
function help(): string | undefined {
  const parts = __DOI_CLI_HELP__ as Help;
  if (!isDevice()) return helpText(parts);
  // Node takes a twentieth of its start to say this, so other files are not asked.
  const { isTTY, columns, rows } = process.stdout;
  const text = helpText(parts, columns);
  const lines = text.split('\n');
  const fits = columns === 0 || lines.every(({ length }) => length <= columns);
  if (!isTTY || !fits || (rows > 0 && lines.length > rows)) return undefined;
  return styledHelp(text, Look.ofTerminal(process.env, wantsColor(process.env, true)));
}

/** Whether stdout is a terminal or another device that is not /dev/null. */
function isDevice(): boolean {
  const stat = fstatSync(1);
  return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
}

/**
 * Prints the version or the help without the rest of the program: installers and scripts ask for them often.
 * @returns false for another command line, and where the text cannot be written; the program then waits, or says why.
 */
async function printAtOnce([word = '', ...others]: readonly string[]): Promise<boolean> {
  try {
    const text = others.length === 0 && Object.hasOwn(AT_ONCE, word) ? AT_ONCE[word]?.() : undefined;
    if (text === undefined) return false;
    const bytes = Buffer.from(text);
    const written = writeSync(1, bytes);
    if (written < bytes.length) await printRest(bytes.subarray(written));
    return true;
  } catch {
    return false;
  }
}

/** Prints what a pipe or a disk had no room for. */
function printRest(bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

async function run(argv: readonly string[]): Promise<void> {
  if (await printAtOnce(argv)) return;
  keepCompiled(process.env, process.platform);
  const { runProcess } = await import('./process.ts');
  await runProcess(argv);
}

/** Rejects where a part of the program cannot be loaded. */
export const running = run(process.argv.slice(2));
