// Makes the pictures of docs/pictures from real runs of the built program against the emulator, on
// a pseudo-terminal. What differs between two runs, such as keys and times, is replaced. With
// --check it writes nothing, and fails if a picture differs from the output of the program: node
// scripts/pictures.mjs [--check]
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { PROGRAM, underEmulator, userEnv } from './emulated.mjs';
import { terminalSvg } from './terminal-svg.mjs';

const COLUMNS = 92;
const pictures = fileURLToPath(new URL('../docs/pictures/', import.meta.url));

const RECORD = `{
  "prefix": "10.5072",
  "titles": [{ "title": "Water levels of the lake", "lang": "english" }],
  "creators": [{ "name": "Doe, Jane", "nameType": "Person" }],
  "publisher": { "name": "Lake Archive" },
  "publicationYear": "20226",
  "types": { "resourceTypeGeneral": "Dataset" },
  "titel": "Lake"
}
`;

/**
 * A command as it is shown, and when its picture is taken: at its end, or when its output shows
 * something.
 */
const PICTURES = [
  {
    name: 'demo',
    title: 'An API key, and the DOIs of a query',
    commands: [
      ['doi-cli keys create --name laptop'],
      ['doi-cli keys list'],
      ['doi-cli dois list --all --prefix 10.5072 --out dois.ndjson'],
      ['doi-cli keys revoke laptop --yes'],
    ],
  },
  {
    name: 'harvest',
    title: 'A copy of every DOI of a query, on its way',
    commands: [
      [
        'doi-cli dois harvest --dir copy --state findable --page-size 500 --jobs 1',
        / of [\d,]+ DOIs · \d+ s left · [\d,]+\/s/,
      ],
      ['doi-cli dois harvest status --dir copy'],
    ],
  },
  { name: 'table', title: 'A list of DOIs', commands: [['doi-cli dois list --mine --limit 12']] },
  {
    name: 'record',
    title: 'One record',
    commands: [['doi-cli dois get 10.5281/zenodo.1000000255']],
  },
  {
    name: 'validation',
    title: 'A record, checked before it is sent',
    commands: [['doi-cli dois validate --file lake.json --state findable']],
  },
];

/** What differs between two runs, and what stands for it. */
const MASKS = [
  [/DC\.[A-Za-z0-9]{32}/g, 'DC.Ab3dE5gHjK2mN4pQrS6tUvWxYz7aBcDe'],
  [/DC\.[A-Za-z0-9]{8}(?![A-Za-z0-9])/g, 'DC.Ab3dE5gH'],
  [
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
    '0b6c8d9e-4f3a-4c21-9d57-1e2f3a4b5c6d',
  ],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-09-01T09:30:00Z'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:8080'],
  [/ in \d+ s/g, ' in 3 s'],
  [
    /[\d,]+ of ([\d,]+) DOIs · \d+ s left · [\d,]+\/s/g,
    (_, total) => `${half(total)} of ${total} DOIs · 2 s left · 1,250/s`,
  ],
  // The first character of the moving line.
  [/[⠀-⣿]/g, '⠹'],
];

underEmulator('--records', '6000', '--latency', '150ms');
const folder = await mkdtemp(join(tmpdir(), 'doi-cli-pictures-'));
try {
  await writeFile(join(folder, 'lake.json'), RECORD);
  for (const picture of PICTURES) await draw(picture);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function draw(picture) {
  const path = join(pictures, `${picture.name}.svg`);
  const svg = await drawn(picture);
  if (svg === (await readFile(path, 'utf8').catch(() => ''))) return;
  if (!process.argv.includes('--check')) return writeFile(path, svg);
  console.error(`${picture.name} is not what the program prints now; npm run pictures renews it`);
  process.exitCode = 1;
}

/** The SVG of a picture: its commands, each with its output. */
async function drawn({ title, commands }) {
  let text = '';
  for (const [line, until] of commands) {
    text += `\u001b[1m$ ${line}\u001b[22m\r\n${await output(line.split(' ').slice(1), until)}`;
  }
  const masked = MASKS.reduce((masked, [pattern, by]) => masked.replace(pattern, by), text);
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 60, allowProposedApi: true });
  await new Promise((resolve) => terminal.write(masked, resolve));
  return terminalSvg(terminal, title);
}

/** The whole output of a command on a terminal, or its output until a text appears. */
function output(argv, until) {
  const env = {
    ...userEnv(folder),
    TERM: 'xterm-256color',
    LC_ALL: 'C.UTF-8',
    DOI_CLI_CONFIG_DIR: join(folder, 'config'),
  };
  return new Promise((resolve, reject) => {
    const size = { cols: COLUMNS, rows: 60 };
    const child = spawn(process.execPath, [PROGRAM, ...argv], { ...size, cwd: folder, env });
    let text = '';
    let shown;
    child.onData((data) => {
      text += data;
      // A slow reader gets what follows along with it.
      const end = until?.exec(text);
      if (end) shown ??= `${text.slice(0, end.index + end[0].length)}\r\n`;
    });
    child.onExit(({ exitCode }) => {
      const isDone = exitCode <= 1 && (until === undefined || shown !== undefined);
      if (isDone) resolve(shown ?? text);
      else
        reject(new Error(`doi-cli ${argv.join(' ')} ended with exit code ${exitCode}:\n${text}`));
    });
  });
}

function half(total) {
  return Math.round(Number(total.replaceAll(',', '')) / 2).toLocaleString('en-US');
}
