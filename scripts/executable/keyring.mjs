// Stands for @napi-rs/keyring in the single executable. Its library is kept in the user's folder
// for caches.
import { getRawAsset } from 'node:sea';
import { cacheDirectory, libraryFile } from './library-file.mjs';

const folder = cacheDirectory(process.env, process.platform);
if (folder === undefined) throw new Error('there is no folder for caches');
const library = { exports: {} };
process.dlopen(library, libraryFile(folder, Buffer.from(getRawAsset('keyring.node'))));
export const { Entry } = library.exports;
