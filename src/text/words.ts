/** A whole number with thousands separators: `36,409`. */
export function number(count: number): string {
  // Loading Intl would take ten milliseconds, although most commands print a single number.
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `record` or `records`. */
export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

/** `1 record`, `36,409 records`. */
export function counted(count: number, noun: string): string {
  return `${number(count)} ${plural(count, noun)}`;
}

/** The first names of a list: `a, b and 3 more`. @param most the names to show. */
export function firstNames(names: readonly string[], most = 5): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** The beginning of a text that is too long for a message. @param most the characters to keep. */
export function abridged(text: string, most = 200): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The number of equal characters that are shown before the first difference. */
const BEGINNING = 8;

/** Texts without most of their common beginning, in whose place an ellipsis stands. */
export function apart(texts: readonly string[]): readonly string[] {
  const [first = ''] = texts;
  let same = 0;
  while (same < first.length && texts.every((text) => text[same] === first[same])) same += 1;
  const from = same - BEGINNING;
  return from > 1 ? texts.map((text) => `…${text.slice(from)}`) : texts;
}

/** A duration in the largest sensible unit: `90 s`, `3 min`, `2.5 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

const AGES = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Replaces ISO times in a text by ages: `3 days ago`. Times in the future stay. */
export function ago(text: string, now: number): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:?\d\d)/g, (time) => {
    const seconds = (now - Date.parse(time)) / 1000;
    // Clocks may differ by a few seconds.
    if (!(seconds > -60)) return time;
    const [unit, length] = AGES.find(([, length]) => seconds >= length) ?? ['second', 1];
    return unit === 'second' ? 'just now' : `${counted(Math.floor(seconds / length), unit)} ago`;
  });
}

/** A number of bytes in whole megabytes: `48 MB`. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}
