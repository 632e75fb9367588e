import type { GlobalOptions } from './host.ts';

/** A command to type next, quoted for a shell, with the options that name this run's service and profile. */
export function suggestCommand(
  words: readonly string[],
  { baseUrl, test, profile }: Pick<GlobalOptions, 'baseUrl' | 'test' | 'profile'>,
): string {
  const same = [
    ...(test ? ['--test'] : []),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl.href]),
    ...(profile === undefined ? [] : ['--profile', profile]),
  ];
  return ['doi-cli', ...words, ...same].map(shellWord).join(' ');
}

function shellWord(text: string): string {
  return /^[\w.@:/=+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
