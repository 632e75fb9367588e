// What the bundle contains instead of some parts of libraries.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const neighbour = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Parts that the program never calls, by the name in an import. */
const ABSENT = [
  // conf uses them for schemas and for migrations. Settings have a check of their own, and no migrations.
  /^ajv\/dist\/2020\.js$/,
  /^ajv-formats$/,
  /^semver$/,
  // conf is given its folder. The original asks for the home directory as soon as it is loaded: a user without a name
  // in a container has none.
  /^env-paths$/,
  // conf is not asked to watch its file, to encrypt it, or to keep it as bytes.
  /^debounce-fn$/,
  /^uint8array-extras$/,
  // The program makes its own suggestions.
  /^\.\/suggestSimilar$/,
  // cli-table3 colours nothing: the colours of a run follow its streams and options.
  /^@colors\/colors\/safe$/,
  // ora prints its symbols when a spinner ends with a line, which none does here.
  /^log-symbols$/,
  // The program sends texts over HTTP/1.1, through HTTP proxies: no forms, no HTTP/2, no SOCKS.
  /\/web\/fetch\/body\.js$/,
  /\/client-h2\.js$/,
  /\/socks5-proxy-agent$/,
];

/** Libraries of which a neighbour of this file contains what is used; it says why. */
const REPLACED = 'undici when-exit cli-spinners chalk dot-prop restore-cursor'.split(' ');

/** Methods that the program never calls, by the file of their class: bundlers keep every method of a class. */
export const UNCALLED = {
  // The program lays helps out by itself, and no command is a file of its own.
  'commander/lib/help.js': words(`
    formatHelp formatItem formatItemList groupItems boxWrap padWidth preformatted displayWidth optionTerm
    visibleGlobalOptions commandDescription subcommandDescription styleTitle styleUsage styleCommandText
    styleCommandDescription styleOptionDescription styleSubcommandDescription styleArgumentDescription
    styleDescriptionText styleOptionTerm styleSubcommandTerm styleArgumentTerm styleOptionText styleArgumentText
    styleSubcommandText longestSubcommandTermLength longestOptionTermLength longestGlobalOptionTermLength
    longestArgumentTermLength`),
  'commander/lib/command.js': words(`
    _executeSubCommand _checkForBrokenPassThrough addCommand addHelpCommand addHelpOption addHelpText
    allowExcessArguments allowUnknownOption combineFlagAndOptionalValue commandsGroup getOptionValueSourceWithGlobals
    optionsGroup passThroughOptions setOptionValue showHelpAfterError`),
  // Its file is not watched, and has no migrations.
  'conf/dist/source/index.js': words(`
    appendToArray onDidChange onDidAnyChange _closeWatcher _handleStoreChange _handleValueChange _watch _migrate
    _shouldPerformMigration _isVersionInRangeFormat`),
  'undici/lib/dispatcher/dispatcher.js': ['compose'],
};

/** Calls of them that are left, for options that the program does not give; it formats helps itself. */
const UNREACHED = ['_executeSubCommand', 'formatHelp', '_watch', '_migrate'];

function words(/** @type {string} */ text) {
  return text.trim().split(/\s+/);
}

/** @type {import('esbuild').Plugin} */
export const standIns = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    for (const filter of ABSENT) onResolve({ filter }, () => ({ path: neighbour('absent.cjs') }));
    // commander starts other programs for commands that are files of their own. Loading this takes a millisecond.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: neighbour('absent.cjs') } : undefined,
    );
    onResolve({ filter: /^node:process$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: neighbour('process.mjs') } : undefined,
    );
    for (const name of REPLACED) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: neighbour(`${name}.mjs`) }));
    }
    onResolve({ filter: /^string-width$/ }, () => ({ path: neighbour('string-width.cjs') }));
    onResolve({ filter: /^cli-table3\/string-width$/ }, () => ({
      path: createRequire(createRequire(import.meta.url).resolve('cli-table3')).resolve('string-width'),
    }));
    // undici brings its parser of headers twice. The one that asks nothing of the processor is enough: headers
    // are a few lines for each megabyte.
    onResolve({ filter: /\/llhttp_simd-wasm\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace('_simd', '')),
    }));
    onLoad({ filter: /[\\/]llhttp-wasm\.js$/ }, async ({ path }) => ({
      contents: packed(await readFile(path, 'utf8')),
    }));
    // With NODE_DEBUG=undici it would print addresses unmasked, also for programs that use the library.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]core[\\/]diagnostics\.js$/ }, ({ path }) => {
      const { channels } = createRequire(import.meta.url)(path);
      const names = Object.keys(channels).map((name) => `${name}: none`);
      return {
        contents: `const none = { hasSubscribers: false }; module.exports = { channels: { ${names} } };`,
      };
    });
    for (const [file, names] of Object.entries(UNCALLED)) {
      const filter = new RegExp(
        `[\\\\/]node_modules[\\\\/]${file.replaceAll('/', '[\\\\/]').replaceAll('.', '\\.')}$`,
      );
      onLoad({ filter }, async ({ path }) => ({ contents: await withoutMethods(path, names) }));
    }
    // Sentences about options that the program does not give.
    onLoad({ filter: /[\\/]csv-parse[\\/]lib[\\/]api[\\/]normalize_options\.js$/ }, async ({ path }) => ({
      contents: withoutSentences(await readFile(path, 'utf8')),
    }));
    // The tables of all methods and statuses, of which undici asks for two.
    onLoad({ filter: /[\\/]llhttp[\\/]constants\.js$/ }, async ({ path }) => {
      const { ERROR, TYPE } = createRequire(import.meta.url)(path);
      return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })};` };
    });
  },
};

/** The module that undici reads its parser from, with the same bytes in a third of the package's bytes. */
function packed(/** @type {string} */ source) {
  const base64 = /'([A-Za-z0-9+/=]{1000,})'/.exec(source)?.[1];
  if (base64 === undefined) throw new Error('undici has its parser in another form');
  const text = brotliCompressSync(Buffer.from(base64, 'base64')).toString('base64');
  return `module.exports = require('node:zlib').brotliDecompressSync(Buffer.from('${text}', 'base64'));`;
}

/** The code of csv-parse without what its errors about options say. */
function withoutSentences(/** @type {string} */ source) {
  const short = source.replace(/throw new \w*Error\([\s\S]*?\);/g, "throw new Error('option');");
  if (short.length > 0.8 * source.length) throw new Error('csv-parse writes its errors in another form');
  return short;
}

/** The code of a file without some methods of its classes, which it must not call. */
async function withoutMethods(/** @type {string} */ path, /** @type {string[]} */ names) {
  const exported = Object.values(await import(pathToFileURL(path).href));
  const classes = exported.filter((each) => typeof each === 'function' && each.prototype !== undefined);
  let source = await readFile(path, 'utf8');
  for (const name of names) {
    const owner = classes.find(({ prototype }) => Object.hasOwn(prototype, name));
    const text = owner?.prototype[name].toString();
    if (text === undefined || !source.includes(text))
      throw new Error(`there is no method ${name} in ${path}`);
    source = source.replace(text, '');
  }
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '');
  const called = Object.values(UNCALLED)
    .flat()
    .find((name) => !UNREACHED.includes(name) && code.includes(`.${name}(`));
  if (called !== undefined) throw new Error(`${path} calls ${called}`);
  return source;
}
