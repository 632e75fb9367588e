import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { writeAtomically } from '../../disk/atomic-file.ts';
import { writeError } from '../../disk/file-sink.ts';
import { makeFolder } from '../../disk/folders.ts';
import { systemReason } from '../../disk/system-error.ts';
import { CliError, errorCode, usageError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import { quoted, shellWord } from '../../text/shell-word.ts';
import { script } from './script.ts';
import { SHELLS, type Shell } from './tree.ts';

/** The end of a line that `install` adds, by which `uninstall` knows it. */
const MARK = ' # doi-cli completion';

interface InstallOptions {
  readonly shell: Shell | undefined;
  readonly remove: boolean;
  readonly dryRun?: boolean;
  readonly format: 'text' | 'json';
}

const DONE = {
  write: 'Wrote',
  replace: 'Replaced',
  remove: 'Removed',
  'add a line to': 'Added a line to',
  'remove a line from': 'Removed a line from',
} as const;

interface Change {
  readonly file: string;
  readonly what: keyof typeof DONE;
  readonly carryOut: () => Promise<void>;
}

/**
 * Installs or removes the completion of a shell, and says what it did. A second run changes nothing.
 * @throws {CliError} kind `usage` when the shell is not known, kind `output` when a file cannot be written.
 */
export async function installCommand(
  context: Context,
  program: Command,
  { shell: named, remove, dryRun = false, format }: InstallOptions,
): Promise<void> {
  const { env, stdout } = context.host;
  const shell = named ?? shellOf(env['SHELL']);
  const { file, startup } = placeOf(shell, env);
  const text = remove ? undefined : script(shell, program);
  const changes = [
    ...(await scriptChange(file, text)),
    ...(startup === undefined ? [] : await startupChange(startup.file, remove ? undefined : startup.line)),
  ];
  for (const { file: path, carryOut } of dryRun ? [] : changes) {
    await carryOut().catch((error: unknown) => {
      throw error instanceof CliError ? error : writeError(path, error);
    });
  }
  if (format === 'json') {
    const files = changes.map(({ file: path, what }) => ({ file: path, change: what }));
    await stdout.write(`${JSON.stringify({ shell, script: file, dryRun, changes: files })}\n`);
    return;
  }
  for (const { file: path, what } of changes) {
    await context.out.write(`${dryRun ? `Would ${what}` : DONE[what]} ${visible(path)}\n`);
  }
  if (changes.length === 0) context.messages.note(remove ? 'there is nothing to remove' : 'it is up to date');
  if (!remove && !dryRun)
    context.messages.note(`new shells have it; in this one type: source ${shellWord(file, 'posix')}`);
}

function shellOf(path: string | undefined): Shell {
  const name = basename(path ?? '');
  const shell = SHELLS.find((each) => each === name);
  if (shell !== undefined) return shell;
  const message = path
    ? `there is no completion for ${visible(name)}`
    : 'SHELL does not say which shell this is';
  throw usageError(message, `doi-cli completion install ${SHELLS.join(' | ')}`);
}

/**
 * Where a script goes. fish looks there by itself; bash and zsh need a line that they read when they start.
 * @throws {CliError} kind `usage` when the user has no home directory.
 */
function placeOf(shell: Shell, env: Context['host']['env']) {
  const home = env['HOME'] || homedir();
  if (!isAbsolute(home)) throw usageError('this user has no home directory', `doi-cli completion ${shell}`);
  if (shell === 'fish') {
    const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
    return { file: join(config, 'fish', 'completions', 'doi-cli.fish') };
  }
  const folder = shell === 'bash' ? 'bash-completion/completions/doi-cli' : 'zsh/site-functions/_doi-cli';
  const file = join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), folder);
  if (/\p{Cc}/u.test(file)) throw usageError('the path of the home directory has control characters');
  const source = `[ ! -r ${quoted(file)} ] || source ${quoted(file)}${MARK}`;
  // Terminals of macOS start login shells, which read no .bashrc.
  const bashrc = join(home, platform() === 'darwin' ? '.bash_profile' : '.bashrc');
  if (shell === 'bash') return { file, startup: { file: bashrc, line: source } };
  // The script needs the completion system, which not every .zshrc starts.
  const line = `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }; ${source}`;
  return { file, startup: { file: join(env['ZDOTDIR'] || home, '.zshrc'), line } };
}

async function scriptChange(file: string, text: string | undefined): Promise<Change[]> {
  const before = await contentOf(file, 'utf8');
  if (before === text) return [];
  if (text === undefined) return [{ file, what: 'remove', carryOut: () => rm(file) }];
  const carryOut = async () => {
    await makeFolder(dirname(file));
    await writeAtomically(file, text);
  };
  return [{ file, what: before === undefined ? 'write' : 'replace', carryOut }];
}

/** Adds a line to a file that the shell reads when it starts, in place of lines added before; or removes these. */
async function startupChange(file: string, line: string | undefined): Promise<Change[]> {
  // One character a byte: another encoding of the user's lines stays as it is.
  const own = line === undefined ? [] : [Buffer.from(line).toString('latin1')];
  const lines = ((await contentOf(file, 'latin1')) ?? '').split('\n');
  const added = lines.filter((each) => each.endsWith(MARK));
  if (added.join('\n') === own.join('\n')) return [];
  const kept = lines.filter((each) => !each.endsWith(MARK)).join('\n');
  const end = own.map((each) => `${kept === '' || kept.endsWith('\n') ? '' : '\n'}${each}\n`).join('');
  // In place: the file may be a link, and keeps its owner and its mode.
  const carryOut = () =>
    added.length === 0 ? appendFile(file, end, 'latin1') : writeFile(file, `${kept}${end}`, 'latin1');
  return [{ file, what: own.length === 0 ? 'remove a line from' : 'add a line to', carryOut }];
}

async function contentOf(file: string, encoding: 'utf8' | 'latin1'): Promise<string | undefined> {
  return readFile(file, encoding).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw usageError(`${file} cannot be read: ${systemReason(error)}`);
  });
}
