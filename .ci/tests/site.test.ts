import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const markdownIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name));

const sidebars = JSON.parse(readFileSync('site/.vitepress/sidebar.json', 'utf8')) as Record<
  'guide' | 'development',
  Record<string, string[]>
>;
const DEVELOPERS = Object.values(sidebars.development).flat();
/** Their sidebar is made of the list in docs/commands/README.md. */
const commands = markdownIn('docs/commands');
const documents = [
  ...markdownIn('.'),
  ...markdownIn('docs'),
  ...markdownIn('docs/dev'),
  ...markdownIn('bench'),
  ...commands,
].sort();
const withoutCode = (file: string) => readFileSync(file, 'utf8').replace(/^```.*?^```/gms, '');

/** The names in a document for an address: of options, and of headings as GitHub makes them. */
const anchorsOf = (file: string) => [
  ...[...withoutCode(file).matchAll(/<a id="([\w-]+)"/g)].map(([, id]) => id),
  ...[...withoutCode(file).matchAll(/^#+ (.*)/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  ),
];

describe('the site', () => {
  it('has every document in a sidebar, once', () => {
    const listed = Object.values(sidebars).flatMap((groups) => Object.values(groups).flat());
    expect([...listed, ...commands].sort()).toEqual(documents);
  });

  it('leads from its front page to pages that exist', () => {
    const links = [...readFileSync('site/index.md', 'utf8').matchAll(/link: \/([\w/-]+)/g)];
    const pages = documents.map((file) =>
      file === 'README.md' ? 'overview' : file.replace(/(README)?\.md$/, ''),
    );
    expect(links.length).toBeGreaterThan(5);
    expect(links.map(([, link]) => link).filter((link) => !pages.includes(link ?? ''))).toEqual([]);
  });

  it.each(documents)('has heads for all columns of the tables of %s', (file) => {
    const heads = [...withoutCode(file).matchAll(/^(\|.*\|)\n\|[-:| ]+\|$/gm)].map(
      ([, head]) => head,
    );
    expect(heads.filter((head) => /\|\s*\|/.test(head ?? ''))).toEqual([]);
  });

  it.each(documents)('takes the title of %s from its first line', (file) => {
    expect(readFileSync(file, 'utf8')).toMatch(/^# \S/);
  });
});

/** What reads a document on the site: its code is not cut at 1280 pixels. */
const WIDEST = 84;
/** A pinned action, whose version Renovate reads on the same line. */
const PINNED = /uses: \S+@[0-9a-f]{40} # v/;

describe('the code of documents for users', () => {
  const users = documents.filter((file) => !DEVELOPERS.includes(file));
  const linesOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^```(\w*)\n(.*?)^```/gms)].flatMap(
      ([, language = '', code = '']) => code.split('\n').map((line) => ({ language, line })),
    );

  it.each(users)('fits a line in %s', (file) => {
    const wide = linesOf(file).filter(({ line }) => line.length > WIDEST && !PINNED.test(line));
    expect(wide).toEqual([]);
  });

  it.each(users)('has its comments above the commands in %s', (file) => {
    const behind = linesOf(file).filter(
      ({ language, line }) => /^(sh|python|js)$/.test(language) && /\S +(#|\/\/) /.test(line),
    );
    expect(behind).toEqual([]);
  });
});

describe('the links', () => {
  it.each(documents)('of %s lead to a file and a heading', (file) => {
    for (const [, href = ''] of withoutCode(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(href)) continue;
      const [path = '', anchor] = href.split('#');
      // npm and GitHub take a path that begins with a slash for an address of their own.
      expect(path, href).not.toMatch(/^\//);
      const target = path === '' ? file : posix.join(posix.dirname(file), path);
      expect(existsSync(target), href).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), href).toContain(anchor);
      // Everything else has no page on the site.
      if (!/\.svg$/.test(target)) expect(documents, href).toContain(target);
    }
  });
});
