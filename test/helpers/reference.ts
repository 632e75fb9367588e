import type { DeclaredCommand } from '../../src/cli/declare.ts';

/** Wide enough for a help with one line for each option. */
const WIDE = 10_000;

/** A command that has a help of its own, with all words of its name. */
export interface Page {
  readonly path: string;
  readonly command: DeclaredCommand;
}

/** A command and all commands below it that have a help of their own. */
export function pagesOf(command: DeclaredCommand, path = command.name()): Page[] {
  const below = pagesBelow(command).flatMap((child) => pagesOf(child, `${path} ${child.name()}`));
  return [{ path, command }, ...below];
}

/** The help of a command on a terminal. */
export function helpText(command: DeclaredCommand, width = 80): string {
  command.configureOutput({ getOutHelpWidth: () => width, getOutHasColors: () => false });
  return command.helpInformation();
}

/**
 * The reference in Markdown, made of the help: a page for each command, with its file in
 * docs/commands/. The page of the program lists all commands.
 */
export function referenceOf(program: DeclaredCommand) {
  const pages = pagesOf(program);
  return pages.map((page) => ({
    path: page.path,
    file: fileOf(page),
    text: pageOf(page, pages),
  }));
}

function pagesBelow(command: DeclaredCommand): DeclaredCommand[] {
  const below = command.createHelp().visibleCommands(command) as DeclaredCommand[];
  return command.isOnePage ? [] : below.filter((child) => child.name() !== 'help');
}

const fileOf = ({ path, command }: Page) =>
  command.parent === null ? 'README.md' : `${path.split(' ').slice(1).join('-')}.md`;

function pageOf(page: Page, pages: readonly Page[]): string {
  const { path, command } = page;
  const isProgram = command.parent === null;
  const [usage = '', description = '', ...sections] = helpText(command, WIDE).split(/\n\n(?=\S)/);
  const parts = [
    `# ${isProgram ? 'Commands' : path}`,
    sentence(description),
    ...(isProgram
      ? [
          '`doi-cli <command> --help` prints a page of this reference; `--all` adds the expert options.',
        ]
      : [inCode(usage.replace(/^Usage: /, ''))]),
    ...(isProgram ? ['## All commands', tree(pages.slice(1))] : []),
    ...sections.flatMap((section) => sectionOf(section, page, pages)),
    ...(isProgram
      ? []
      : ['All commands also take the [global options](README.md#global-options).']),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A group of options, arguments or commands, or the examples. */
function sectionOf(section: string, page: Page, pages: readonly Page[]): string[] {
  const [head = '', ...lines] = section.trimEnd().split('\n');
  const heading = `## ${head.replace(/:$/, '')}`;
  if (head === 'Examples:') return [heading, inCode(lines.map(withoutPrompt).join('\n'))];
  const isFooter = !head.endsWith(':');
  if (isFooter || (head === 'Commands:' && page.command.parent === null)) return [];
  const items = lines.map((line) => {
    const [, term = '', text = ''] = /^ {2}(\S.*?) {2,}(.*)$/.exec(line) ?? [];
    const child = pages.find(({ path }) => path === `${page.path} ${term.split(' ')[0]}`);
    if (head === 'Commands:' && child !== undefined) return commandItem(child);
    return term.startsWith('-') ? optionItem(term, text) : `\`${term}\`: ${markdown(text)}`;
  });
  return [heading, list(items)];
}

/** All commands, those of a group below it. */
const tree = (pages: readonly Page[]) =>
  pages
    .map((page) => `${'  '.repeat(page.path.split(' ').length - 2)}- ${commandItem(page)}`)
    .join('\n');

function commandItem(page: Page): string {
  const name = page.path.replace('doi-cli ', '');
  return `[\`${name}\`](${fileOf(page)}): ${markdown(page.command.description())}`;
}

/** An option with an anchor: its long name. */
function optionItem(flags: string, text: string): string {
  const [, name = ''] = /--([\w-]+)/.exec(flags) ?? [];
  return `<a id="${name}" href="#${name}"><code>${html(flags)}</code></a>: ${markdown(text)}`;
}

const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n');
const inCode = (text: string) => `\`\`\`sh\n${text}\n\`\`\``;
const withoutPrompt = (line: string) => line.replace(/^ {2}(\$ )?/, '');
const sentence = (text: string) => markdown(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A text of the help as Markdown, with the options in it as code. */
const markdown = (text: string) =>
  text.replace(/[\\`*<]/g, '\\$&').replace(/(?<![\w-])--[a-z][\w-]*/g, '`$&`');
