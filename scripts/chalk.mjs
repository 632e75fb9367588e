// Replaces chalk in the bundle: the colour of the spinner, which ora is given only where colours are wanted.

export default { cyan: (/** @type {string} */ text) => `\u001b[36m${text}\u001b[39m` };
