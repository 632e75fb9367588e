import { platform } from 'node:os';
import { visible } from './redact.ts';

/**
 * A word as a shell reads it back, quoted where that is needed.
 * @param system on Windows, the shells are PowerShell and cmd; elsewhere, and for a shell of elsewhere, as of POSIX.
 */
export function shellWord(text: string, system: string = platform()): string {
  const shown = visible(text.replace(/[\\']/g, '\\$&'));
  // A line break would make a second line, which looks like one of ours.
  if (visible(text) !== text) return `$'${shown}'`;
  if (/^[\w.@:/=+,-]+$/.test(text)) return text;
  if (system !== 'win32') return quoted(text);
  // cmd has no single quotes, PowerShell fills in $ and ` between double ones, and a backslash at the end would quote
  // the closing one.
  if (/^[\w.:/=+\\-]+$/.test(text)) return text;
  return /["$%`]|\\$/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;
}

/** A text as one word of bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
