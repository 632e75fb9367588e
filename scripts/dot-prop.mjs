// Replaces dot-prop in the bundle: conf asks it for names with dots, which the program turns off, and for the one name
// below which conf keeps what is its own.

export const hasProperty = (object, name) => Object.hasOwn(object, name);

export const getProperty = (object, name) => object[name];

export function setProperty(object, name, value) {
  object[name] = value;
}

export function deleteProperty(object, name) {
  delete object[name];
}
