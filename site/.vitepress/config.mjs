import { cpSync, readFileSync, rmSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name) => readFileSync(path(name), 'utf8');
const { name, description, repository } = JSON.parse(read('package.json'));
const address = /github\.com\/(?!OWNER\/)[\w-]+\/[\w-]+/.exec(repository.url)?.[0];

/** The documents by the groups of the sidebar. The title of each is its first heading. */
const groups = JSON.parse(read('site/.vitepress/sidebar.json'));
const documents = Object.values(groups).flat();
const page = (document) => document.replace(/README\.md$/, 'index.md');
const titleOf = (document) =>
  document === 'README.md' ? 'Overview' : /^# (.*)/m.exec(read(document))?.[1];

// Copies, because VitePress finds its own packages only for pages below its folder.
rmSync(path('site/.vitepress/pages'), { recursive: true, force: true });
for (const document of documents)
  cpSync(path(document), path(`site/.vitepress/pages/${page(document)}`));
for (const pictures of ['docs/pictures', 'bench/service.svg']) {
  cpSync(path(pictures), path(`site/.vitepress/pages/${pictures}`), { recursive: true });
}

/** The name of a heading in an address, as on GitHub. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Points links to a README.md, a page of its folder here, to that page. */
function linkPages(md) {
  md.core.ruler.push('pages', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href');
      if (href !== null && !/^\w+:/.test(href))
        token.attrSet('href', href.replace(/README\.md(?=$|#)/, 'index.md'));
    }
  });
}

/** Keeps a short option or name in one line, which browsers break at hyphens. */
function keepTogether(md) {
  md.core.ruler.push('short', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'code_inline' && token.content.length <= 30)
        token.attrJoin('class', 'short');
    }
  });
}

/** Draws mermaid diagrams, as GitHub does. */
function drawDiagrams(md) {
  const usual = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...more) =>
    tokens[at].info.trim() === 'mermaid'
      ? `<Diagram source="${encodeURIComponent(tokens[at].content)}" />`
      : usual(tokens, at, ...more);
}

export default defineConfig({
  title: name,
  description,
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: '.vitepress/pages',
  cleanUrls: true,
  markdown: {
    languageAlias: { crontab: 'sh' },
    // The usual ones have comments with a contrast of 4.45.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // As on GitHub.
    anchor: { slugify },
    config(md) {
      linkPages(md);
      keepTogether(md);
      drawDiagrams(md);
    },
  },
  themeConfig: {
    sidebar: Object.entries(groups).map(([text, items]) => ({
      text,
      items: items.map((document) => ({
        text: titleOf(document),
        link: `/${posix.normalize(page(document)).replace(/(index)?\.md$/, '')}`,
      })),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
    notFound: { linkLabel: 'Take me home' },
    ...(address === undefined
      ? {}
      : { socialLinks: [{ icon: 'github', link: `https://${address}` }] }),
  },
});
