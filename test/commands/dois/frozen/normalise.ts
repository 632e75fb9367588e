/**
 * Replaces what differs between two runs of one case: folders, ports, random suffixes and the
 * client's times.
 * @param options.keepsSuffixes whether the suffixes are not random.
 */
export function normaliser(
  dir: string,
  { keepsSuffixes }: { readonly keepsSuffixes: boolean },
): (text: string) => string {
  const suffixes = new Map<string, string>();
  const numbered = (whole: string, prefix: string, suffix: string) => {
    if (keepsSuffixes) return whole;
    if (!suffixes.has(suffix)) suffixes.set(suffix, `<suffix ${suffixes.size + 1}>`);
    return `${prefix}${suffixes.get(suffix)}`;
  };
  return (text) =>
    text
      .replaceAll(JSON.stringify(dir).slice(1, -1), '$DIR')
      .replaceAll(dir, '$DIR')
      .replace(/\$DIR[^\s'",:]*/g, (path) => path.replace(/\\+/g, '/'))
      .replace(/(doi-cli-records-)\w{6}/g, '$1XXXXXX')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
      .replace(
        /(10\.\d+(?:\/|%2F))([0-9a-z]{4}-(?:[0-9a-z]{4}-)?[0-9a-z]{2}\d\d)(?![\w-])/g,
        numbered,
      )
      // The service gives whole seconds.
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(?!000Z)\d{3}Z/g, '<time>')
      .replace(/ in \d+(?:\.\d)? (?:s|min|h): /g, ' in <time>: ');
}
