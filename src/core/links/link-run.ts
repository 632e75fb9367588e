import type { LinkChecker, LinkResult } from '../../api/http/link-checker.ts';
import { CliError, CONTINUE_HINT, isStop, toCliError } from '../../errors.ts';
import { isNonEmptyString } from '../../text/json-values.ts';
import { counted, number } from '../../text/words.ts';
import type { CheckedLink, EarlierLinks } from './earlier-links.ts';

interface LinkRunParts {
  readonly host: { readonly signal: AbortSignal; now(): number };
  readonly checker: LinkChecker;
  readonly earlier: EarlierLinks | undefined;
  readonly progress: {
    update(done: number, total: number | undefined, remark: string): void;
  };
  readonly write: (link: CheckedLink) => Promise<void>;
  readonly counts: Record<'checked' | 'broken' | 'unknown', number>;
}

/** The checks of a run, with counts of their results. */
export function linkRun({ host, checker, earlier, progress, write, counts }: LinkRunParts) {
  let leftOut = 0;
  let total: number | undefined;
  const show = () =>
    progress.update(
      counts.checked + leftOut,
      total,
      counts.broken > 0 ? `${number(counts.broken)} broken` : '',
    );
  const put = async (link: CheckedLink) => {
    counts.checked += 1;
    if (link.ok === false) counts.broken += 1;
    if (link.ok === null) counts.unknown += 1;
    await write(link);
    show();
  };
  const add = async (doi: string, url: string | null, { status, ok, ...more }: LinkResult) => {
    const link = { doi, url, status, ok, ...more, checkedAt: new Date(host.now()).toISOString() };
    await earlier?.add(link);
    await put(link);
  };
  return {
    counts,
    add,
    /**
     * The error of a run that ends early, with its progress. @param out the file of its results.
     */
    ended(error: unknown, out: string | undefined): unknown {
      if (isStop(error)) {
        const all = total === undefined ? '' : ` of ${number(total)}`;
        const { message } = toCliError(host.signal.reason);
        const kept = out === undefined ? '' : `; ${counted(counts.checked, 'result')} kept`;
        const done = `${number(counts.checked + leftOut)}${all} DOIs`;
        return error.with({
          message: `${message} after ${done}, ${number(counts.broken)} of them broken${kept}`,
          hint:
            out === undefined
              ? 'with --out links.csv, the same command continues a run that was stopped'
              : CONTINUE_HINT,
        });
      }
      const canContinue =
        error instanceof CliError && ['incomplete', 'unavailable'].includes(error.kind);
      return canContinue && out !== undefined ? error.with({ hint: CONTINUE_HINT }) : error;
    },
    /** @param all the number of DOIs; undefined if unknown. */
    expect(all: number | undefined): void {
      total = all;
      show();
    },
    async leaveOut(): Promise<void> {
      leftOut += 1;
    },
    async check(doi: string, url: unknown): Promise<void> {
      const known = earlier?.find(doi, url);
      if (known !== undefined) return put(known);
      if (isNonEmptyString(url)) return add(doi, url, await checker.check(url));
      await add(doi, null, { status: null, ok: false, error: 'the record has no address' });
    },
  };
}

export type LinkRun = ReturnType<typeof linkRun>;
