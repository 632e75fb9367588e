// node bench/run.mjs [<benchmark>]… and the options of bench/README.md, which lists them
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchHarvest } from './harvest.mjs';
import { benchInstall } from './install.mjs';
import { benchMemory } from './memory.mjs';
import { benchParallel } from './parallel.mjs';
import { benchRegistry } from './registry.mjs';
import { benchGrowth, benchService, USUAL_SCENARIOS } from './service.mjs';
import { benchShapes } from './shape-runs.mjs';
import { SHAPES } from './shapes.mjs';
import { benchStartup } from './startup.mjs';
import { benchTables } from './tables.mjs';

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: {
    pages: { type: 'string', default: '100' },
    'page-size': { type: 'string', default: '1000' },
    runs: { type: 'string', default: '5' },
    'startup-runs': { type: 'string', default: '30' },
    nodes: { type: 'string', default: process.execPath },
    records: { type: 'string' },
    'memory-records': { type: 'string', default: '1000000' },
    'growth-records': { type: 'string', default: '3000000' },
    'table-records': { type: 'string', default: '100000,1000000' },
    scenarios: { type: 'string' },
    shapes: { type: 'string' },
    program: {
      type: 'string',
      default: fileURLToPath(new URL('../bin/doi-cli.js', import.meta.url)),
    },
    programs: { type: 'string' },
  },
});
// Each takes up to a minute.
const MEMORY_RUNS = 2;
const INSTALL_RUNS = 3;
const usual = ['harvest', 'startup', 'parallel', 'memory'];
// Four take ten minutes and more each, and one needs the npm registry.
const all = [...usual, 'service', 'growth', 'tables', 'registry', 'install'];
const parts = positionals.length > 0 ? positionals : usual;
const unknown = parts.find((part) => !all.includes(part));
if (unknown) fail(`there is no benchmark ${unknown}: ${all.join(', ')}`);

// Without either option, the service has both.
const scenarios = chosen(values.scenarios, values.shapes === undefined ? USUAL_SCENARIOS : []);
const everyShape = Object.keys(SHAPES);
const shapes = chosen(
  values.shapes === 'all' ? everyShape.join() : values.shapes,
  values.scenarios === undefined ? everyShape : [],
);
const noShape = shapes.find((name) => !everyShape.includes(name));
if (noShape) fail(`there is no shape ${noShape}: all, ${everyShape.join(', ')}`);

for (const tool of [
  'time',
  ...(parts.includes('harvest') ? ['nginx', 'curl', 'jq', 'bash'] : []),
  ...(parts.includes('service') && scenarios.length > 0 ? ['curl', 'jq', 'bash'] : []),
]) {
  if (!installed(tool))
    fail(`${tool} is missing (Debian: apt-get install nginx-light curl jq time)`);
}

const processors = `${cpus().length} × ${cpus()[0]?.model.trim()}`;
console.log(`Node ${process.version}, ${process.platform} ${process.arch}, ${processors}`);
const pages = count(values.pages);
const pageSize = count(values['page-size']);
const runs = count(values.runs);
const startupRuns = count(values['startup-runs']);
const records = count(values.records ?? '120000');
const registryRecords = count(values.records ?? '3000000');
const memoryRecords = count(values['memory-records']);
const growthRecords = count(values['growth-records']);
const { program } = values;
const programs = values.programs === undefined ? { '': program } : programsOf(values.programs);

const directory = await mkdtemp(join(tmpdir(), 'doi-cli-bench-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
// The user's settings must not change the results.
process.env.DOI_CLI_CONFIG_DIR = directory;
try {
  if (parts.includes('harvest')) {
    console.log();
    await benchHarvest({ program, directory, pages, pageSize, runs });
  }
  if (parts.includes('startup')) {
    for (const node of values.nodes.split(',')) {
      console.log();
      await benchStartup({ program, node, directory, runs: startupRuns });
    }
  }
  if (parts.includes('parallel')) {
    console.log();
    await benchParallel({ program, directory, records });
  }
  if (parts.includes('memory')) {
    console.log();
    await benchMemory({ program, directory, runs: MEMORY_RUNS, records: memoryRecords });
  }
  if (parts.includes('service')) {
    if (scenarios.length > 0) await benchService({ program, directory, names: scenarios });
    if (shapes.length > 0) {
      console.log();
      await benchShapes({ programs, directory, names: shapes });
    }
  }
  if (parts.includes('install')) {
    console.log();
    await benchInstall({ directory, runs: INSTALL_RUNS, startupRuns });
  }
  if (parts.includes('tables')) {
    console.log();
    await benchTables({ program, directory, sizes: values['table-records'].split(',').map(count) });
  }
  if (parts.includes('registry')) {
    console.log();
    await benchRegistry({ program, directory, records: registryRecords });
  }
  if (parts.includes('growth')) {
    console.log();
    await benchGrowth({ program, directory, most: growthRecords });
  }
} catch (error) {
  console.error(`benchmark failed: ${error.message}`);
  process.exitCode = 1;
}

/** @param {import('node:util').ParseArgsConfig} config */
function readArguments(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    fail(`${error.message}\nbench/README.md has the options`);
  }
}

function chosen(/** @type {string | undefined} */ text, /** @type {string[]} */ otherwise) {
  return text === undefined ? otherwise : text.split(',');
}

/** Programs by name, from `before=/a/bin/doi-cli.js,after=/b/bin/doi-cli.js`. */
function programsOf(/** @type {string} */ text) {
  const pairs = text.split(',').map((part) => /^([^=]+)=(.+)$/.exec(part)?.slice(1));
  if (pairs.includes(undefined)) fail(`not <name>=<program>,…: ${text}`);
  return Object.fromEntries(pairs);
}

function installed(/** @type {string} */ tool) {
  return process.env.PATH.split(delimiter).some((directory) => existsSync(join(directory, tool)));
}

function count(/** @type {string} */ text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) fail(`not a positive whole number: ${text}`);
  return number;
}

function fail(/** @type {string} */ message) {
  console.error(message);
  process.exit(2);
}
