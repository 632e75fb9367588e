import { firstOf, selected } from '../../harvest/walk/repeat-guard.ts';
import type { MakeWriter } from '../output/writer.ts';

/** NDJSON: records as they were sent, each on a line. */
export const writeJsonLines: MakeWriter = (sink) => ({
  page: (walked, most) => sink.write(...walked.page.lines(firstOf(walked, most))),
  end: async () => {},
});

/** One JSON array. */
export const writeJsonArray: MakeWriter = (sink) => {
  let separator = '[\n';
  return {
    async page(walked, most) {
      const parts: (string | Buffer)[] = [];
      for (const record of selected(walked, most)) {
        parts.push(separator, record);
        separator = ',\n';
      }
      await sink.write(...parts);
    },
    end: () => sink.write(separator === '[\n' ? '[]\n' : '\n]\n'),
  };
};
