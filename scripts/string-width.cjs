// Replaces string-width in the bundle: the one of cli-table3, loaded when the first text needs it. Node takes ten
// milliseconds for its patterns, and most commands measure no text, or text in Latin letters only (src/ui/width.ts).

module.exports = function stringWidth(/** @type {string} */ text) {
  if (/^[ -~·]*$/.test(text)) return text.length;
  return require('cli-table3/string-width')(text);
};
