import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const markdownIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name));

const documents = [
  ...markdownIn('.'),
  ...markdownIn('docs'),
  ...markdownIn('docs/dev'),
  ...markdownIn('bench'),
].sort();
const withoutCode = (file: string) => readFileSync(file, 'utf8').replace(/^```.*?^```/gms, '');

/** The names of the headings of a document in an address, as GitHub makes them. */
const anchorsOf = (file: string) =>
  [...withoutCode(file).matchAll(/^#+ (.*)/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the site', () => {
  it('has every document in its sidebar, once', () => {
    const groups = JSON.parse(readFileSync('site/.vitepress/sidebar.json', 'utf8')) as Record<
      string,
      string[]
    >;
    expect(Object.values(groups).flat().sort()).toEqual(documents);
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
