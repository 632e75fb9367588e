// Replaces env-paths in the bundle. conf loads it for a folder that doi-cli names itself, and the original asks for the
// home directory as soon as it is loaded: a user without a name in a container has none.
export default () => {
  throw new Error('conf needs a folder');
};
