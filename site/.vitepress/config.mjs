import { cpSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name) => readFileSync(path(name), 'utf8');
const { name, description, repository } = JSON.parse(read('package.json'));
const address = /github\.com\/(?!OWNER\/)[\w-]+\/[\w-]+/.exec(repository.url)?.[0];

/** The documents by the groups of the sidebars. The title of each is its first heading. */
const { guide, development } = JSON.parse(read('site/.vitepress/sidebar.json'));
/** The pages of the commands, in the order of their list. */
const COMMANDS = 'docs/commands/';
const list = `${COMMANDS}README.md`;
const commands = [...read(list).matchAll(/\]\(([\w-]+\.md)\)/g)].map(
  ([, name]) => `${COMMANDS}${name}`,
);
const documents = [...Object.values({ ...guide, ...development }).flat(), list, ...commands];
const page = (document) =>
  document === 'README.md' ? 'overview.md' : document.replace(/README\.md$/, 'index.md');
const linkTo = (document) => `/${page(document).replace(/(index)?\.md$/, '')}`;
const titleOf = (document) =>
  document === 'README.md' ? 'Overview' : /^# (.*)/m.exec(read(document))?.[1];

const sidebarOf = (groups) =>
  Object.entries(groups).map(([text, items]) => ({
    text,
    items: items.map((document) => ({ text: titleOf(document), link: linkTo(document) })),
  }));

/** The sidebar of the reference: a group for each noun that has several pages. */
function commandSidebar() {
  const pages = commands.map((document) => {
    const [, noun, ...verbs] = titleOf(document).split(' ');
    return { noun, text: verbs.join(' '), link: linkTo(document) };
  });
  const groups = pages
    .filter(({ text }) => text === '')
    .map(({ noun, link }) => {
      const items = pages.filter((page) => page.noun === noun && page.text !== '');
      return { text: noun, link, ...(items.length > 0 && { items }) };
    });
  return [{ text: 'All commands', link: linkTo(list) }, ...groups];
}

// Copies, because VitePress finds its own packages only for pages below its folder.
rmSync(path('site/.vitepress/pages'), { recursive: true, force: true });
cpSync(path('site/index.md'), path('site/.vitepress/pages/index.md'));
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

/** Lets pictures be scrolled on a narrow screen, also with the keyboard. */
function scrollPictures(md) {
  md.core.ruler.push('pictures', ({ tokens }) => {
    for (const [at, { children }] of tokens.entries()) {
      const types = children?.map(({ type }) => type).filter((type) => type !== 'softbreak') ?? [];
      if (types.length === 0 || types.some((type) => type !== 'image')) continue;
      tokens[at - 1].attrJoin('class', 'pictures');
      tokens[at - 1].attrSet('tabindex', '0');
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
    attrs: { disable: true },
    config(md) {
      linkPages(md);
      keepTogether(md);
      scrollPictures(md);
      drawDiagrams(md);
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/overview' },
      { text: 'Commands', link: linkTo(list) },
      { text: 'Development', link: '/CONTRIBUTING' },
    ],
    sidebar: {
      '/': sidebarOf(guide),
      [`/${COMMANDS}`]: commandSidebar(),
      ...Object.fromEntries(
        Object.values(development)
          .flat()
          .map((document) => [linkTo(document), sidebarOf(development)]),
      ),
    },
    outline: [2, 3],
    search: { provider: 'local' },
    ...(address === undefined
      ? {}
      : { socialLinks: [{ icon: 'github', link: `https://${address}` }] }),
  },
});
