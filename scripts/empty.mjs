// Stands for a module that the program never reaches (bundling.mjs).
export default undefined;
