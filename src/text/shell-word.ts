import { visible } from './redact.ts';

/** A word as a shell reads it back, quoted where that is needed. */
export function shellWord(text: string): string {
  const shown = visible(text.replace(/[\\']/g, '\\$&'));
  // A line break would make a second line, which looks like one of ours.
  if (visible(text) !== text) return `$'${shown}'`;
  return /^[\w.@:/=+,-]+$/.test(text) ? text : quoted(text);
}

/** A text as one word of bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
