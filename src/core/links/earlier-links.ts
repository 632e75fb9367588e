import { appendFile, rm } from 'node:fs/promises';
import type { LinkResult } from '../../api/http/link-checker.ts';
import { writeError } from '../../disk/file-sink.ts';
import { readOwnFile, regularTarget } from '../../disk/regular-file.ts';
import { isObject, jsonIn } from '../../text/json-values.ts';

/** The checked URL of a DOI. */
export interface CheckedLink extends LinkResult {
  readonly doi: string;
  /** Null without a record, or without a URL in it. */
  readonly url: string | null;
  /** ISO 8601, UTC. */
  readonly checkedAt: string;
}

/** The results of a stopped run, one a line in a file next to `--out`, for the next run. */
export class EarlierLinks {
  readonly path: string;
  readonly #known: ReadonlyMap<string, CheckedLink>;

  private constructor(path: string, known: readonly CheckedLink[]) {
    this.path = path;
    this.#known = new Map(known.map((link) => [link.doi.toLowerCase(), link]));
  }

  static async of(out: string): Promise<EarlierLinks> {
    const path = await regularTarget(`${out}.partial`);
    const text = (await readOwnFile(path, { maxBytes: Number.POSITIVE_INFINITY })) ?? '';
    // Links with an unknown result are checked again.
    const sure = text
      .split('\n')
      .map(jsonIn)
      .filter(isLink)
      .filter(({ ok }) => ok !== null);
    return new EarlierLinks(path, sure);
  }

  get size(): number {
    return this.#known.size;
  }

  /** The earlier result of a DOI, if its URL is the same. */
  find(doi: string, url: unknown): CheckedLink | undefined {
    const link = this.#known.get(doi.toLowerCase());
    return link?.url === url ? link : undefined;
  }

  async add(link: CheckedLink): Promise<void> {
    // The line begins with a newline, because a crash may have left a part of a line.
    await appendFile(this.path, `\n${JSON.stringify(link)}`).catch((error: unknown) => {
      throw writeError(this.path, error);
    });
  }

  /** Removes the results at the end of a run. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

function isLink(value: unknown): value is CheckedLink {
  return isObject(value) && typeof value['doi'] === 'string' && 'ok' in value;
}
