import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type SpawnResult, shell } from '../e2e/program.ts';
import { temporaryDirectory } from './temporary.ts';

/** The code blocks of a language in a document. */
export const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
/** The package that the recipes run. */
export const PACKAGE = `./doi-cli-${version}.tgz`;

/**
 * A folder with stand-ins for other programs. `gh` stores the secret that it gets, and prints a log
 * that contains the key; a file `unreachable` makes it fail before it stores the secret, a file
 * `silent` afterwards. `npx` runs this program.
 */
export function tools(): string {
  const folder = temporaryDirectory();
  const script = (name: string, lines: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  script(
    'gh',
    `cd '${folder}'
case "$1" in
secret) [ ! -e unreachable ] && cat > secret && [ ! -e silent ];;
run) echo "curl -u $(cat secret): https://api.datacite.org";;
esac`,
  );
  script('npx', `[ "$1 $2" = '--yes --package=${PACKAGE}' ] || exit 9\nshift 2\nexec "$@"`);
  mkdirSync(join(folder, 'runner'));
  return folder;
}

/** One step of a job, with the names of the secrets that it is given. */
export interface Step {
  readonly script: string;
  readonly secrets: readonly string[];
}

interface Job {
  /** GitHub. */
  readonly steps?: readonly { readonly run?: string; readonly env?: Record<string, string> }[];
  /** GitLab. */
  readonly script?: readonly string[];
}

/** The steps of the jobs in a recipe that run something, with the secrets of their `env:`. */
export function stepsOf(yaml: string): Step[] {
  const recipe = parse(yaml) as { readonly jobs?: Record<string, Job> };
  return Object.values<Job>(recipe.jobs ?? (recipe as Record<string, Job>)).flatMap(
    ({ steps = [], script }) => [
      ...steps.flatMap(({ run, env = {} }) => {
        const secrets = Object.keys(env).filter((name) => env[name]?.startsWith('${{ secrets.'));
        return run === undefined ? [] : [{ script: run, secrets }];
      }),
      ...(script === undefined ? [] : [{ script: script.join('\n'), secrets: [] }]),
    ],
  );
}

/**
 * Runs steps one after another as GitHub does, each with its own secrets only, until one fails.
 * @param env for all steps. @param secrets the values of the secrets.
 */
export async function runSteps(
  folder: string,
  steps: readonly Step[],
  env: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
): Promise<SpawnResult> {
  const all = { code: 0 as number | null, signal: null, stdout: '', stderr: '' };
  for (const step of steps) {
    const own = Object.fromEntries(step.secrets.map((name) => [name, secrets[name] ?? '']));
    const given = { RUNNER_TEMP: join(folder, 'runner'), GITHUB_REPOSITORY: 'a/b', ...env, ...own };
    const line = `set -eo pipefail; cd '${folder}'\n${step.script}`;
    const { code, stdout, stderr } = await shell(line, {
      env: given,
      brings: folder,
      uses: ['curl'],
    });
    all.stdout += stdout;
    all.stderr += stderr;
    if (code !== 0) return { ...all, code };
  }
  return all;
}
