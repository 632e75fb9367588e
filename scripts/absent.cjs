// Takes the place of library code that this program never calls. scripts/stand-ins.mjs says why for each.
module.exports = () => {
  throw new Error('this part of a library is not in the program');
};
