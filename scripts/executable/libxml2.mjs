// Stands for libxml2-wasm in the single executable: an ES module that waits for its WebAssembly,
// which no CommonJS program can load.
throw new Error('the single executable has no libxml2-wasm');
