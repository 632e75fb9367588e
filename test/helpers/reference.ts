import type { Option } from 'commander';
import type { DeclaredCommand } from '../../src/cli/declare.ts';
import { LISTED_FILTERS } from '../../src/cli/options.ts';

/** An option is explained once where this many commands explain it in the same words. */
const SEVERAL = 5;
const WIDTH = 80;

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

/** The help of a command on a terminal of 80 columns. */
export function helpText(command: DeclaredCommand): string {
  command.configureOutput({ getOutHelpWidth: () => WIDTH, getOutHasColors: () => false });
  return command.helpInformation();
}

/** The reference in Markdown: the helps of all commands, without what the page says elsewhere. */
export function referenceOf(program: DeclaredCommand): string {
  const [top, ...pages] = pagesOf(program) as [Page, ...Page[]];
  const shared = sharedOptions(pages);
  const parts = [
    '# Commands',
    '`doi-cli <command> --help` explains a command. ' +
      'With `--all` it also lists the options for experts, as here.',
    section(top, []),
    '## Shared options',
    inCode(optionList(program, shared)),
    ...pages.map((page) => section(page, shared)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function pagesBelow(command: DeclaredCommand): DeclaredCommand[] {
  const below = command.createHelp().visibleCommands(command) as DeclaredCommand[];
  return command.isOnePage ? [] : below.filter((child) => child.name() !== 'help');
}

function sharedOptions(pages: readonly Page[]): Option[] {
  const all = pages
    .flatMap(({ command }) => command.createHelp().optionsOf(command))
    // The formats differ, and so do the defaults.
    .filter((option) => !isFilter(option) && option.long !== '--format');
  const alike = (option: Option) => all.filter((other) => isSame(option, other));
  const first = all.filter((option, at) => all.findIndex((other) => isSame(option, other)) === at);
  return first.filter((option) => alike(option).length >= SEVERAL);
}

const isSame = (one: Option, other: Option) =>
  one.flags === other.flags &&
  one.description === other.description &&
  `${one.argChoices}` === `${other.argChoices}`;

const isFilter = ({ helpGroupHeading }: Option) => helpGroupHeading === `${LISTED_FILTERS}:`;

function section({ path, command }: Page, shared: readonly Option[]): string {
  const options = command.createHelp().optionsOf(command);
  const isShared = (option: Option) => shared.some((other) => isSame(option, other));
  const links = pagesBelow(command).map(
    (child) => `[${child.name()}](#${path.replaceAll(' ', '-')}-${child.name()})`,
  );
  command.configureHelp({
    visibleOptions: () => options.filter((option) => !isShared(option) && !isFilter(option)),
    ...(links.length > 0 && { visibleCommands: () => [] }),
  });
  const isGroup = command.usage() === '<command>' && !command.isOnePage;
  const description = command.description();
  const also = [
    ...(options.some(isFilter) ? ['[filters](#doi-cli-dois-list)'] : []),
    ...options.filter(isShared).map(({ long }) => `[${long}](#shared-options)`),
  ];
  return [
    `## ${path}`,
    isGroup
      ? `${description.charAt(0).toUpperCase()}${description.slice(1)}.`
      : inCode(withoutFrame(helpText(command))),
    ...(also.length > 0 ? [`Also: ${also.join(', ')}`] : []),
    ...(links.length > 0 ? [`Commands: ${links.join(', ')}`] : []),
  ].join('\n\n');
}

/**
 * A help without what frames it on a terminal: a usage that says no more than the heading, prompts,
 * and a footer.
 */
function withoutFrame(help: string): string {
  return help
    .replace(/^Usage: .* (\[options\]|<command>)\n+/, '')
    .replace(/^ {2}\$ /gm, '  ')
    .replace(/\n+(Global options: .*\n)?$/, '');
}

function optionList(program: DeclaredCommand, options: readonly Option[]): string {
  const help = program.createHelp();
  const width = Math.max(...options.map(({ flags }) => flags.length));
  return options
    .map((option) => help.formatItem(option.flags, width, help.optionDescription(option), help))
    .join('\n');
}

const inCode = (text: string) => `\`\`\`text\n${text}\n\`\`\``;
