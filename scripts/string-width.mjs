// Replaces string-width in the bundle: the same, loaded when the first text needs it. Node takes ten milliseconds for
// its patterns, and most commands measure no text, or text in Latin letters only (src/ui/width.ts).

export default function stringWidth(/** @type {string} */ text, options) {
  if (/^[ -~·]*$/.test(text)) return text.length;
  return require('../node_modules/string-width/index.js').default(text, options);
}
