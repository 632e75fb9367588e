import { appendFile, rm, writeFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { DeclaredCommand } from '../../cli/declare.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { writeError } from '../../disk/file-sink.ts';
import { makeFolder } from '../../disk/folders.ts';
import { readRegularFile } from '../../disk/regular-file.ts';
import { systemReason } from '../../disk/system-error.ts';
import { errorCode, usageError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import { quoted, shellWord } from '../../text/shell-word.ts';
import type { change } from './index.ts';
import { script } from './script.ts';
import { SHELLS, type Shell } from './tree.ts';

/** Marks a line that `install` adds, so that `uninstall` finds it. */
const MARK = ' # doi-cli completion';

interface InstallOptions extends OptionsOf<typeof change> {
  readonly shell: Shell | undefined;
  readonly remove: boolean;
}

/**
 * A file's content before and after; undefined if it does not exist. Text has one character per
 * byte: the user's lines may have any encoding.
 */
interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Installs or removes a shell's completion, and prints the changes. A second run changes nothing.
 */
export async function installCommand(
  context: Context,
  program: DeclaredCommand,
  { shell: named, remove, dryRun = false, format }: InstallOptions,
): Promise<void> {
  const { env, stdout } = context.host;
  const shell = named ?? shellOf(env['SHELL']);
  const { file, startup } = placeOf(shell, env);
  if (/\p{Cc}/u.test(file))
    throw usageError('the path of the home directory has control characters');
  const text = Buffer.from(await script(shell, program)).toString('latin1');
  const planned: Change[] = [
    { file, before: await contentOf(file), after: remove ? undefined : text },
  ];
  if (startup !== undefined) {
    const before = await contentOf(startup.file);
    planned.push({
      file: startup.file,
      before,
      after: withLine(before, remove ? undefined : startup.line),
    });
  }
  const changes = planned.filter(({ before, after }) => before !== after);
  if (!dryRun) for (const change of changes) await applyChange(change);
  if (format === 'json') {
    const files = changes.map((change) => ({ file: change.file, change: verbOf(change)[0] }));
    await stdout.write(`${JSON.stringify({ shell, script: file, dryRun, changes: files })}\n`);
    return;
  }
  for (const change of changes) {
    const [verb, done] = verbOf(change);
    await context.out.write(`${dryRun ? `Would ${verb}` : done} ${visible(change.file)}\n`);
  }
  if (changes.length === 0)
    context.messages.note(remove ? 'there is nothing to remove' : 'it is up to date');
  if (!remove && !dryRun)
    context.messages.note(
      `new shells have completion; to use it in this shell: source ${shellWord(file, 'posix')}`,
    );
}

function verbOf({ before, after }: Change): readonly [verb: string, done: string] {
  if (after === undefined) return ['remove', 'Removed'];
  return before === undefined ? ['write', 'Wrote'] : ['change', 'Changed'];
}

function shellOf(path: string | undefined): Shell {
  const name = basename(path ?? '');
  const shell = SHELLS.find((each) => each === name);
  if (shell !== undefined) return shell;
  const message = path
    ? `there is no completion for ${visible(name)}`
    : 'the variable SHELL is not set';
  throw usageError(message, `doi-cli completion install ${SHELLS.join(' | ')}`);
}

/** The place of a script. fish finds it by itself; bash and zsh need a line in a startup file. */
function placeOf(shell: Shell, env: Context['host']['env']) {
  const home = env['HOME'] || homedir();
  if (!isAbsolute(home))
    throw usageError('this user has no home directory', `doi-cli completion ${shell}`);
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
  if (shell === 'fish') return { file: join(config, 'fish', 'completions', 'doi-cli.fish') };
  const folder =
    shell === 'bash' ? 'bash-completion/completions/doi-cli' : 'zsh/site-functions/_doi-cli';
  const file = join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), folder);
  const source = `[ ! -r ${quoted(file)} ] || source ${quoted(file)}${MARK}`;
  // Terminals on macOS start login shells, which do not read .bashrc.
  const bashrc = join(home, platform() === 'darwin' ? '.bash_profile' : '.bashrc');
  if (shell === 'bash') return { file, startup: { file: bashrc, line: source } };
  // The script needs the completion system, which not every .zshrc starts.
  const line = `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }; ${source}`;
  return { file, startup: { file: join(env['ZDOTDIR'] || home, '.zshrc'), line } };
}

function withLine(before: string | undefined, line: string | undefined): string | undefined {
  const wanted = line === undefined ? [] : [Buffer.from(line).toString('latin1')];
  const lines = (before ?? '').split('\n');
  const added = lines.filter((each) => each.endsWith(MARK));
  if (added.join('\n') === wanted.join('\n')) return before;
  const others = lines.filter((each) => !each.endsWith(MARK)).join('\n');
  const end = wanted.map(
    (each) => `${others === '' || others.endsWith('\n') ? '' : '\n'}${each}\n`,
  );
  return others + end.join('');
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(file)).bytes.toString('latin1');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw usageError(`${file} cannot be read: ${systemReason(error)}`);
  }
}

async function applyChange({ file, before = '', after }: Change): Promise<void> {
  if (after !== undefined) await makeFolder(dirname(file));
  try {
    // Write in place: the file may be a link, and keeps its owner and mode.
    if (after === undefined) await rm(file);
    else if (after.startsWith(before)) await appendFile(file, after.slice(before.length), 'latin1');
    else await writeFile(file, after, 'latin1');
  } catch (error) {
    throw writeError(file, error);
  }
}
