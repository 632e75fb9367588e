// Replaces an import of node:process in the bundle. For its named exports, Node would compute all of process, which
// takes longer than the start of a command.
export default globalThis.process;
export const { geteuid, kill, pid } = globalThis.process;
