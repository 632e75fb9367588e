import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type AtEnd, temporaryDirectory } from './temporary.ts';

/** The environment that leads a program to a keychain, or to none. */
export type KeychainEnv = Record<string, string>;

const UNLOCK_PASSWORD = 'of the keyring';

/**
 * Starts a separate D-Bus with a gnome-keyring on it, as on a desktop.
 * @param state `unlocked`; `locked`, with no way to ask for the password; `without a keyring` in
 *   the service; `refusing` every caller; `without a service` on the bus.
 * @param atEnd registers its stop: at the end of the test, or of all tests with `afterAll`. Tests
 *   can share it, because the entries of each emulator have different names.
 */
export async function startSecretService(
  state: 'unlocked' | 'locked' | 'without a keyring' | 'refusing' | 'without a service',
  atEnd: AtEnd = onTestFinished,
): Promise<KeychainEnv> {
  // Removed after what runs in it has been stopped.
  const home = temporaryDirectory(atEnd);
  const start = starter(atEnd);
  const runtime = join(home, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const bus = start(
    'dbus-daemon',
    [`--config-file=${busConfig(home, state === 'refusing')}`, '--nofork', '--print-address'],
    { HOME: home },
  );
  const address = (await firstOutput(bus)).trim();
  const env = { HOME: home, XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: address };
  if (state === 'without a service') return env;
  if (state === 'locked') {
    // A keyring from an earlier session is locked in the next one.
    const earlier = keyringDaemon(start, env, UNLOCK_PASSWORD);
    const file = join(home, '.local/share/keyrings/login.keyring');
    await until(() => onBus(address) && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0);
    await stop(earlier, 'SIGTERM');
  }
  keyringDaemon(start, env, state === 'unlocked' ? UNLOCK_PASSWORD : undefined);
  await until(() => onBus(address));
  return env;
}

/**
 * A D-Bus socket that accepts and never answers; closed at the end of the test.
 * @param onConnection is called for each connection.
 */
export async function startMuteBus(
  onConnection: () => void = () => undefined,
): Promise<KeychainEnv> {
  const home = temporaryDirectory();
  const path = join(home, 'bus');
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    onConnection();
    connections.add(connection);
    connection.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  return { HOME: home, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` };
}

/** A bus without the machine's services: no request starts one. */
function busConfig(home: string, refusing: boolean): string {
  const path = join(home, 'bus.conf');
  const denied = refusing ? '<deny send_destination="org.freedesktop.secrets"/>' : '';
  writeFileSync(
    path,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=${home}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/>${denied}</policy></busconfig>`,
  );
  return path;
}

function keyringDaemon(
  start: Starter,
  env: KeychainEnv,
  password: string | undefined,
): ChildProcess {
  const unlock = password === undefined ? [] : ['--unlock'];
  const daemon = start(
    'gnome-keyring-daemon',
    ['--foreground', '--components=secrets', ...unlock],
    env,
  );
  daemon.stdin?.end(password ?? '');
  return daemon;
}

function onBus(address: string): boolean {
  const { stdout } = spawnSync(
    'dbus-send',
    `--print-reply --reply-timeout=2000 --dest=org.freedesktop.DBus /
      org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets`.split(/\s+/),
    { env: { PATH: process.env['PATH'], DBUS_SESSION_BUS_ADDRESS: address }, encoding: 'utf8' },
  );
  return stdout.includes('boolean true');
}

type Starter = (command: string, args: readonly string[], env: KeychainEnv) => ChildProcess;

function starter(atEnd: AtEnd): Starter {
  return (command, args, env) => {
    const child = spawn(command, args, {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    atEnd(() => stop(child));
    return child;
  };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

function firstOutput(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (data) => resolve(String(data)));
    child.once('error', reject).once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the Secret Service did not start in time');
}
