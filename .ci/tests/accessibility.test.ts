// axe checks a report of `dois stats` and the pages of the site: all of them with jsdom, which knows
// no colors, and one of each kind in a browser, light and dark.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ciRequire } from '../../test/helpers/ci-packages.ts';
import { emulate } from '../../test/helpers/emulator.ts';
import { browser, lacks } from '../../test/helpers/platform.ts';
import { sharedDirectory, temporaryDirectory } from '../../test/helpers/temporary.ts';

const SITE = 'site/.vitepress/dist';
/** The front page, diagrams, tables, a command. */
const KINDS = ['index', 'docs/architecture', 'docs/export', 'docs/commands/keys'];
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};
/** A browser or a long page takes minutes on a busy machine. */
const LIMIT_MS = 1_200_000;
/** A page with two mistakes; jsdom sees only the first. */
const WRONG =
  '<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><img src="data:,">' +
  '<p style="color:#bbb;background:#fff">pale</p></main></html>';

/** A mistake as `image-alt: <img …>`. */
type Mistakes = readonly string[];

interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const mistakesIn = ({ violations }: Results): Mistakes =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));

/** Runs in each page of the browser: checks it, sends the results, and opens the next page. */
const CHECK = `addEventListener('load', async () => {
  const results = await axe.run({ resultTypes: ['violations'] });
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const body = JSON.stringify({ path: location.pathname, results, isDark });
  const next = await (await fetch('/result', { method: 'POST', body })).text();
  if (next !== '') location.href = next;
});`;

describe.skipIf(lacks('ciPackages', 'builtSite'))('axe', () => {
  const folder = sharedDirectory();
  let axe: string;

  function read(path: string): Buffer | string {
    if (path === '/wrong.html') return WRONG;
    return readFileSync(path === '/report.html' ? join(folder, 'report.html') : join(SITE, path));
  }

  beforeAll(async () => {
    axe = readFileSync(ciRequire.resolve('axe-core/axe.min.js'), 'utf8');
    const { run } = await emulate({ records: 300 }, afterAll);
    const { code, stderr } = await run(['dois', 'stats', '--out', join(folder, 'report.html')]);
    expect(code, stderr).toBe(0);
  });

  /** The mistakes of a page, besides its colors. */
  async function structureOf(path: string): Promise<Mistakes> {
    const { JSDOM, VirtualConsole } = ciRequire('jsdom');
    const { window } = new JSDOM(String(read(path)), {
      ...{ runScripts: 'outside-only', pretendToBeVisual: true },
      // What jsdom lacks is not printed.
      virtualConsole: new VirtualConsole(),
    });
    window.eval(axe);
    const rules = { 'color-contrast': { enabled: false } };
    // A script gives this button its name.
    const context = { exclude: ['.VPSwitchAppearance'] };
    const results = await window.axe.run(context, { resultTypes: ['violations'], rules });
    window.close();
    return mistakesIn(results);
  }

  it(
    'finds no mistake in the structure of any page',
    async () => {
      expect(await structureOf('/wrong.html')).toEqual([/^image-alt: /]);
      const pages = (readdirSync(SITE, { recursive: true, encoding: 'utf8' }) as string[])
        .filter((name) => name.endsWith('.html') && name !== '404.html')
        .map((name) => `/${name}`);
      expect(pages.length).toBeGreaterThan(65);
      for (const path of ['/report.html', ...pages])
        expect(await structureOf(path), path).toEqual([]);
    },
    LIMIT_MS,
  );

  /** Opens these pages one after another in a browser. */
  async function open(paths: readonly string[], isDark: boolean): Promise<Map<string, Mistakes>> {
    const found = new Map<string, Mistakes>();
    const rest = [...paths];
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      const type = TYPES[extname(pathname)];
      if (pathname === '/result') {
        const result = JSON.parse(Buffer.concat(await request.toArray()).toString());
        found.set(result.path, result.isDark === isDark ? mistakesIn(result.results) : ['colors']);
        response.end(rest.shift() ?? '');
        if (found.size === paths.length) server.emit('done');
      } else if (pathname === '/axe.js') response.end(`${axe}\n${CHECK}`);
      else if (type === undefined) response.writeHead(404).end();
      else if (type.startsWith('text/html')) {
        // The report allows no scripts.
        const page = String(read(pathname)).replace(/<meta http-equiv="Content-Sec[^>]*>/, '');
        response.writeHead(200, { 'content-type': type });
        response.end(`${page}<script src="/axe.js"></script>`);
      } else response.writeHead(200, { 'content-type': type }).end(read(pathname));
    };
    const server = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => server.emit('error', error));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const options = ['--headless', '--no-sandbox', '--disable-gpu'];
    const colors = `--blink-settings=preferredColorScheme=${isDark ? 0 : 1}`;
    const profile = `--user-data-dir=${temporaryDirectory()}`;
    const child = spawn(
      browser() ?? '',
      [...options, colors, profile, `http://127.0.0.1:${port}${rest.shift()}`],
      { stdio: 'ignore', env: { ...process.env, TMPDIR: temporaryDirectory() } },
    );
    child.once('exit', () => server.emit('error', new Error('the browser has ended')));
    onTestFinished(() => {
      server.removeAllListeners('error').on('error', () => undefined);
      server.closeAllConnections();
      server.close();
      return ended(child);
    });
    await once(server, 'done');
    return found;
  }

  it.skipIf(lacks('browser')).each(['light', 'dark'])(
    'finds no mistake in %s pages of each kind',
    async (colors) => {
      const paths = ['report', ...KINDS].map((name) => `/${name}.html`);
      const found = await open(['/wrong.html', ...paths], colors === 'dark');
      expect(found.get('/wrong.html')).toEqual([/^color-contrast: /, /^image-alt: /]);
      for (const path of paths) expect(found.get(path), path).toEqual([]);
    },
    LIMIT_MS,
  );
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
