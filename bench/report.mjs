// Prints the results: a table, the ratios, and the targets.
import { summary } from './measure.mjs';

const show = {
  ms: (/** @type {number} */ value) =>
    value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`,
  mb: (/** @type {number} */ kb) => `${(kb / 1024).toFixed(0)} MB`,
};

/** @param {import('./measure.mjs').Result[]} results */
export function printTable(results) {
  const cell = (result, of, format) => {
    const { median, min, max } = summary(result, of);
    return `${format(median)} (${format(min)} to ${format(max)})`;
  };
  const rows = [
    ['', 'wall time', 'user + system', 'peak memory'],
    ...results.map((result) => [
      result.name,
      cell(result, 'wallMs', show.ms),
      cell(result, 'cpuMs', show.ms),
      cell(result, 'peakKb', show.mb),
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      row
        .map((text, column) => text.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

/**
 * One line for a target: `value` must not be above `limit`, or not below it when `atLeast` is set.
 *
 * @param {{ what: string, value: number, limit: number, unit: string, atLeast?: boolean }} target
 */
export function printTarget({ what, value, limit, unit, atLeast = false }) {
  const met = atLeast ? value >= limit : value <= limit;
  const bound = `${atLeast ? 'at least' : 'at most'} ${limit}${unit}`;
  console.log(
    `${met ? 'met   ' : 'MISSED'}  ${what}: ${value.toFixed(2)}${unit} (target: ${bound})`,
  );
}
