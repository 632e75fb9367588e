import { unlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { AtomicFile, writeAtomically } from '../disk/atomic-file.ts';
import { makeFolder } from '../disk/folders.ts';
import { type LockingHost, withFileLock } from '../disk/lock/lock.ts';
import { requireOwn } from '../disk/ownership.ts';
import { readRegularFile } from '../disk/regular-file.ts';
import { CliError, errorCode, isStop } from '../errors.ts';
import type { SecretStore } from './keychain.ts';

const MODE = 0o600;

/**
 * Secrets in an unencrypted file, for people without a keychain. Only the owner can read it, it is
 * replaced as a whole, and no other user may be able to change it or its folder. Every method
 * throws {@link CliError}: kind `credentials` for a file or folder with other permissions, kind
 * `usage` when the folder cannot be created.
 */
export class InsecureFile implements SecretStore {
  readonly #path: string;
  readonly #host: LockingHost;

  constructor(path: string, host: LockingHost) {
    this.#path = path;
    this.#host = host;
  }

  async get(account: string): Promise<string | undefined> {
    return (await this.#read()).get(account);
  }

  async set(account: string, secret: string): Promise<void> {
    await this.#change((secrets) => secrets.set(account, secret));
  }

  async delete(account: string): Promise<boolean> {
    // Without a file, the folder for the lock may be missing too.
    return (await this.#read()).has(account) && this.#change((secrets) => secrets.delete(account));
  }

  async check(): Promise<void> {
    await this.#read();
    try {
      await makeFolder(dirname(this.#path), 0o700);
      await (await AtomicFile.open(this.#path, MODE)).discard();
    } catch (error) {
      throw this.#asCliError(error);
    }
  }

  async close(): Promise<void> {}

  /** Replaces the file, or a link in its place, under a lock. @returns false if nothing changed. */
  async #change(change: (secrets: Map<string, string>) => unknown): Promise<boolean> {
    try {
      await makeFolder(dirname(this.#path), 0o700);
      return await withFileLock(this.#host, this.#path, async () => {
        const secrets = await this.#read();
        if (!change(secrets)) return false;
        const text = `${JSON.stringify(Object.fromEntries(secrets), null, 2)}\n`;
        if (secrets.size > 0) await writeAtomically(this.#path, text, MODE);
        else await unlink(this.#path);
        return true;
      });
    } catch (error) {
      throw this.#asCliError(error);
    }
  }

  async #read(): Promise<Map<string, string>> {
    const file = await readRegularFile(this.#path, { noFollow: true }).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      // A file is in the place of the folder. Windows reports this like a missing file.
      if (errorCode(error) === 'ENOTDIR') return null;
      throw this.#asCliError(
        errorCode(error) === 'ELOOP' ? 'it is a link, and links are not followed' : error,
      );
    });
    if (file === null) return new Map();
    requireOwn(this.#path, 'no secret is kept there');
    if (file === undefined) return new Map();
    // Windows has access control lists instead of modes.
    if (platform() !== 'win32' && file.stats.mode & 0o077) {
      throw new CliError('credentials', `others can read ${this.#path}, so it is not used`, {
        hint: `chmod 600 ${this.#path}, and replace the credentials in it: they may be known`,
      });
    }
    try {
      const entries = Object.entries(JSON.parse(file.text) as Record<string, unknown>);
      return new Map(entries.map(([account, secret]) => [account, String(secret)]));
    } catch {
      // The parser's own message quotes the file.
      throw this.#asCliError('it is not valid JSON');
    }
  }

  /** All errors get the kind `credentials`, except a stop and a wrong folder. */
  #asCliError(reason: unknown): CliError {
    if (isStop(reason)) return reason;
    if (reason instanceof CliError && ['credentials', 'usage'].includes(reason.kind)) return reason;
    // A failed write is a CliError of kind `output`, with the system's error as its cause.
    const cause = reason instanceof CliError ? (reason.cause ?? reason) : reason;
    const words = cause instanceof Error ? cause.message : String(cause);
    return new CliError('credentials', `cannot use ${this.#path}: ${words}`, { cause });
  }
}
