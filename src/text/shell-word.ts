import { platform } from 'node:os';
import { visible } from './redact.ts';

/** Makes a command to type next from its words, for the service and profile of a run. */
export type Suggest = (...words: readonly string[]) => string;

/**
 * Quotes a word for a shell where needed: for PowerShell and cmd on `win32`, else for a POSIX
 * shell.
 */
export function shellWord(text: string, system: string = platform()): string {
  const shown = visible(text.replace(/[\\']/g, '\\$&'));
  // A line break would start a line that could imitate our own messages.
  if (visible(text) !== text) return `$'${shown}'`;
  if (/^[\w.@:/=+,-]+$/.test(text)) return text;
  if (system !== 'win32') return quoted(text);
  // cmd has no single quotes, PowerShell expands $ and ` between double quotes, and a backslash at
  // the end would escape the closing quote.
  if (/^[\w.:/=+\\-]+$/.test(text)) return text;
  return /["$%`]|\\$/.test(text) ? inPowerShell(text) : `"${text}"`;
}

/** A command line of words, each quoted by {@link shellWord}. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => shellWord(word)).join(' ');
}

/** A text as one word of bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Lines that set environment variables: `export` for POSIX shells, on Windows for PowerShell. */
export function settingLines(
  variables: Readonly<Record<string, string>>,
  system: string = platform(),
): string {
  return Object.entries(variables)
    .map(([name, value]) =>
      system === 'win32'
        ? `$env:${name} = ${inPowerShell(value)}\n`
        : `export ${name}=${quoted(value)}\n`,
    )
    .join('');
}

function inPowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
