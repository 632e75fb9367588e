// Replaces semver in the bundle. conf uses it for migrations between versions of settings, which this program does not
// have; the original is a thirtieth of the package.

export default {};
