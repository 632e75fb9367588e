import { platform } from 'node:os';
import { visible } from './redact.ts';

/**
 * A word as a shell reads it back, quoted where needed: PowerShell or cmd on `win32`, else a POSIX
 * one.
 */
export function shellWord(text: string, system: string = platform()): string {
  const shown = visible(text.replace(/[\\']/g, '\\$&'));
  // A line break would make a second line, which looks like one of ours.
  if (visible(text) !== text) return `$'${shown}'`;
  if (/^[\w.@:/=+,-]+$/.test(text)) return text;
  if (system !== 'win32') return quoted(text);
  // cmd has no single quotes, PowerShell fills in $ and ` between double ones, and a backslash at
  // the end would quote the closing one.
  if (/^[\w.:/=+\\-]+$/.test(text)) return text;
  return /["$%`]|\\$/.test(text) ? inPowerShell(text) : `"${text}"`;
}

/** Words of a command line, as {@link shellWord} writes each. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => shellWord(word)).join(' ');
}

/** A text as one word of bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Lines that set environment variables: in POSIX shells by `export`, on Windows those of
 * PowerShell.
 */
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

/** A text as one word of PowerShell, in which it fills nothing in. */
function inPowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
