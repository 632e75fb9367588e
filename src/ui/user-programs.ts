import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';

type Env = Readonly<Record<string, string | undefined>>;

/** The environment for programs of the user, such as a pager, without credentials. */
export function childEnv(env: Env): Env {
  const { DOI_CLI_PASSWORD: _password, DOI_CLI_API_KEY: _key, ...others } = env;
  return others;
}

/**
 * Programs that open an address, by platform. None is a shell, which could run the address as a
 * command.
 */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};
const OTHERS = ['xdg-open'];
// A program that still runs after this time is the browser itself.
const LIMIT_MS = 5000;

/** Opens an address from `webAddress` in the user's browser. @returns whether that worked. */
export async function openInBrowser(address: string, env: Env): Promise<boolean> {
  const opener = OPENERS[platform()];
  const hasScreen =
    opener !== undefined || !!(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['BROWSER']);
  if (!hasScreen) return false;
  const [file = '', ...args] = opener ?? OTHERS;
  const child = spawn(file, [...args, address], {
    stdio: 'ignore',
    detached: true,
    env: childEnv(env),
  });
  try {
    const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) })) as [
      number | null,
    ];
    return code === 0;
  } catch (error) {
    return (error as Error).name === 'AbortError';
  } finally {
    child.unref();
  }
}
