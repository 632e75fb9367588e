// Draws groups of horizontal bars as an SVG picture that needs nothing else.
const WIDTH = 800;
const NAMES = 250;
const BAR = 18;
const GAP = 6;
const HEAD = 28;
const FIGURES = 70;
// Readable on white and on black.
const COLORS = { even: '#8a8f98', own: '#2f81c7', other: '#c2703d' };

/**
 * @param {string} title
 * @param {readonly { title: string, bars: readonly { name: string, seconds: number }[] }[]} groups
 *   each has its own scale
 * @returns {string} an SVG document
 */
export function barChart(title, groups) {
  const parts = [];
  let y = 2 * HEAD;
  for (const group of groups) {
    parts.push(text(0, y, group.title, 'font-weight="bold"'));
    y += GAP;
    const most = Math.max(...group.bars.map(({ seconds }) => seconds));
    for (const { name, seconds } of group.bars) {
      const width = Math.max(1, ((WIDTH - NAMES - FIGURES) * seconds) / most);
      const size = `width="${width.toFixed(1)}" height="${BAR}"`;
      parts.push(
        text(0, y + BAR - 5, name),
        `<rect x="${NAMES}" y="${y}" ${size} rx="2" fill="${colorOf(name)}"/>`,
        text(NAMES + width + GAP, y + BAR - 5, `${seconds.toFixed(1)} s`),
      );
      y += BAR + GAP;
    }
    y += HEAD;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img"` +
      ' font-family="sans-serif" font-size="13">',
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    text(0, HEAD, title, 'font-size="16" font-weight="bold"'),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function colorOf(/** @type {string} */ name) {
  if (name === 'even rate') return COLORS.even;
  return name.startsWith('doi-cli') ? COLORS.own : COLORS.other;
}

function text(x, y, content, more = '') {
  const attributes = `x="${x.toFixed(1)}" y="${y}" fill="#1f2328"${more && ` ${more}`}`;
  return `<text ${attributes}>${escaped(content)}</text>`;
}

function escaped(/** @type {string} */ content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
