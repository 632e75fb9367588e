// Draws the screen of a terminal as SVG.

const CELL = { width: 8.4, height: 19 };
const FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const FONT_SIZE = 14;
const MARGIN = 16;
const TITLE_BAR = 34;
const COLORS = { text: '#d6deeb', back: '#0f1720', bar: '#1b2633', dim: '#7d8b99' };
// The first eight colours of a terminal, in their order.
const PALETTE = '#3b4252 #ff6b6b #7bd88f #f5c86b #6cb6ff #c792ea #5fd3d8 #d6deeb'.split(' ');

/**
 * @param {import('@xterm/headless').Terminal} terminal everything in its buffer is drawn, without
 *   the cursor
 * @param {string} title of the window, and the text for people who do not see the picture
 */
export function terminalSvg(terminal, title) {
  const { active } = terminal.buffer;
  const lines = [];
  for (let row = 0; row < active.length; row += 1) lines.push(runsOf(active.getLine(row)));
  while (lines.length > 0 && lines.at(-1).length === 0) lines.pop();
  const width = Math.ceil(terminal.cols * CELL.width + 2 * MARGIN);
  const height = TITLE_BAR + lines.length * CELL.height + 2 * MARGIN;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, index) =>
      `<circle cx="${20 + index * 20}" cy="${TITLE_BAR / 2}" r="6" fill="${color}"/>`,
  );
  const texts = lines.flatMap((runs, row) => runs.map((run) => textOf(run, row)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"` +
      ` width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="9" fill="${COLORS.back}"/>`,
    `<path d="M0 ${TITLE_BAR}V9a9 9 0 0 1 9-9H${width - 9}a9 9 0 0 1 9 9V${TITLE_BAR}z"` +
      ` fill="${COLORS.bar}"/>`,
    ...dots,
    `<g font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${COLORS.text}">`,
    `<text x="${width / 2}" y="${TITLE_BAR / 2 + 5}" text-anchor="middle" fill="${COLORS.dim}">` +
      `${escaped(title)}</text>`,
    ...texts,
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

/**
 * Neighbouring cells with the same look; a wide character is a run of its own, so that it cannot
 * move others.
 */
function runsOf(line) {
  const runs = [];
  let column = 0;
  while (column < line.length) {
    const cell = line.getCell(column);
    const cells = cell.getWidth();
    const text = cell.getChars() || ' ';
    const weight = `${cell.isBold() ? 'b' : ''}${cell.isDim() ? 'd' : ''}`;
    const look = `${weight}${cell.isFgPalette() ? cell.getFgColor() : ''}`;
    const last = runs.at(-1);
    if (last?.look === look && cells === 1 && last.isNarrow) {
      last.text += text;
      last.cells += 1;
    } else if (cells > 0) runs.push({ look, text, column, cells, isNarrow: cells === 1 });
    column += Math.max(1, cells);
  }
  return runs.flatMap((run) => {
    const text = run.text.trimEnd();
    return text === ''
      ? []
      : [{ ...run, text, cells: run.cells - (run.text.length - text.length) }];
  });
}

function textOf({ look, text, column, cells }, row) {
  const x = round(MARGIN + column * CELL.width);
  const y = round(TITLE_BAR + MARGIN + row * CELL.height + FONT_SIZE);
  const [, color] = /(\d+)$/.exec(look) ?? [];
  const dim = look.includes('d') ? COLORS.dim : undefined;
  const fill = color === undefined ? dim : PALETTE[Number(color) % 8];
  const attributes = [
    `x="${x}" y="${y}" textLength="${round(cells * CELL.width)}" lengthAdjust="spacingAndGlyphs"`,
    ...(look.includes('b') ? ['font-weight="bold"'] : []),
    ...(fill === undefined ? [] : [`fill="${fill}"`]),
  ];
  // Browsers would collapse several spaces, and drop spaces at the beginning.
  return `<text ${attributes.join(' ')}>${escaped(text).replaceAll(' ', '\u00a0')}</text>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escaped(text) {
  const names = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return text.replace(/[&<>]/g, (character) => names[character]);
}
