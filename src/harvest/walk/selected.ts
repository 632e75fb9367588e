import type { WalkedPage } from './repeat-guard.ts';

/** Accepts the first `most` new records. The result is called once for each record, in order. */
export function firstOf({ fresh }: WalkedPage, most: number): (index: number) => boolean {
  let left = most;
  return (index) => left > 0 && fresh(index) && left-- > 0;
}

/** The first `most` new records of a page. */
export function* selected(walked: WalkedPage, most: number): Generator<Buffer> {
  const wanted = firstOf(walked, most);
  for (let index = 0; index < walked.page.count; index += 1) {
    if (wanted(index)) yield walked.page.record(index);
  }
}
