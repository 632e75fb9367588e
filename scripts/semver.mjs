// Stands for semver in the bundle, which conf uses for migrations between versions of settings. There are none here,
// and the original is a thirtieth of the package.

export default {};
