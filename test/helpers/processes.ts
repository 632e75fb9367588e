import { readdirSync, readFileSync } from 'node:fs';

/** The processes whose command line contains a text, with their environment. */
export function processes(
  part: string,
): { pid: number; commandLine: string; environment: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return commandLine.includes(part)
          ? [
              {
                pid: Number(pid),
                commandLine,
                environment: readFileSync(`/proc/${pid}/environ`, 'utf8'),
              },
            ]
          : [];
      } catch {
        // The process has ended.
        return [];
      }
    });
}
