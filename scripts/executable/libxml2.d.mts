import type { Plugin } from 'esbuild';

/** Puts libxml2-wasm into a CommonJS module. */
export const libxml2: Plugin;
