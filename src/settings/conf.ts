import { homedir } from 'node:os';
import process from 'node:process';
import type Conf from 'conf';
import { STOP_SIGNALS } from '../errors.ts';
import { isObject, type JsonObject } from '../text/json-values.ts';

/** The settings of one profile. They contain no secrets. */
export interface Profile {
  readonly 'base-url'?: string;
  readonly repository?: string;
  readonly mailto?: string;
  readonly prefix?: string;
  /**
   * The `base-url` before a login changed it, '' if it was unset; absent when the user set
   * `base-url`.
   */
  readonly 'base-url-before-login'?: string;
}

/** The stores of secrets: the name in messages, the other store, and the option to log in to it. */
export const STORES = {
  keychain: { label: 'the keychain', other: 'insecure-file', loginOptions: [] },
  'insecure-file': {
    label: 'the file of credentials',
    other: 'keychain',
    loginOptions: ['--insecure-file'],
  },
} as const;
export type StoreKind = keyof typeof STORES;

/** A stored credential in the settings, without its secret. */
export interface StoredCredential {
  readonly baseUrl: string;
  readonly kind: 'repository' | 'api-key';
  /** The repository account, as typed or as the service spells it. */
  readonly account: string;
  readonly place: StoreKind;
  /** The other store, if it may still have an older secret of this credential. */
  readonly olderIn?: StoreKind;
}

interface FileContent {
  profiles?: Readonly<Record<string, Profile>>;
  stored?: readonly StoredCredential[];
}

const PROFILE: Readonly<Record<keyof Profile, true>> = {
  'base-url': true,
  repository: true,
  mailto: true,
  prefix: true,
  'base-url-before-login': true,
};
/** The members of a stored credential, with their values; undefined for any text. */
const STORED: Readonly<Record<keyof StoredCredential, readonly string[] | undefined>> = {
  baseUrl: undefined,
  kind: ['repository', 'api-key'],
  account: undefined,
  place: Object.keys(STORES),
  olderIn: Object.keys(STORES),
};

/** @throws {TypeError} with the problem. Unknown members of the file are from newer versions. */
function checkContent(content: unknown): asserts content is FileContent {
  const file = members(content, 'the file');
  const misplaced = Object.keys(PROFILE).find((setting) => setting in file);
  if (misplaced !== undefined) throw new TypeError(`${misplaced} is outside of a profile`);
  const { profiles = {}, stored = [] } = file;
  for (const [name, profile] of Object.entries(members(profiles, 'profiles'))) {
    for (const [setting, value] of Object.entries(members(profile, `profile ${name}`))) {
      if (!Object.hasOwn(PROFILE, setting))
        throw new TypeError(`profile ${name} has an unknown setting ${setting}`);
      requireText(value, `${setting} of profile ${name}`);
    }
  }
  if (!Array.isArray(stored)) throw new TypeError('stored is not a list');
  for (const [index, credential] of stored.entries()) checkStored(credential, `stored[${index}]`);
}

function checkStored(value: unknown, name: string): void {
  const credential = members(value, name);
  const unknown = Object.keys(credential).find((member) => !Object.hasOwn(STORED, member));
  if (unknown !== undefined) throw new TypeError(`${name} has an unknown member ${unknown}`);
  for (const [member, values] of Object.entries(STORED)) {
    const text = credential[member];
    if (text === undefined && member === 'olderIn') continue;
    if (text === undefined) throw new TypeError(`${name} lacks ${member}`);
    requireText(text, `${member} of ${name}`, values);
  }
}

function requireText(value: unknown, name: string, values?: readonly string[]): void {
  if (typeof value === 'string' && (values?.includes(value) ?? true)) return;
  throw new TypeError(`${name} is not ${values?.join(' or ') ?? 'a text'}`);
}

function members(value: unknown, name: string): JsonObject {
  if (isObject(value)) return value;
  throw new TypeError(`${name} is not an object`);
}

/**
 * Reads, checks and writes the settings file of a folder. Every use of `store` reads the file
 * again.
 */
export type SettingsFile = Conf<FileContent>;

/** Cached by folder: conf reads the file when it is opened, and at each use again. */
const opened = new Map<string, SettingsFile>();

/**
 * Loads conf, which most commands do not need. @returns a function that opens the settings file in
 * the folder `cwd`, and throws the errors of conf and its parser.
 */
export async function loadConf(cwd: string): Promise<() => SettingsFile> {
  const known = STOP_SIGNALS.map((signal) => process.listeners(signal));
  const { default: Settings } = await withHome(cwd, () => import('conf'));
  // conf's file writer raises each signal again: like a second Ctrl-C, and on Windows it ends the
  // process.
  for (const [index, signal] of STOP_SIGNALS.entries()) {
    const added = process.listeners(signal).filter((listener) => !known[index]?.includes(listener));
    for (const listener of added) process.removeListener(signal, listener);
  }
  return () => {
    const file =
      opened.get(cwd) ??
      new Settings<FileContent>({
        cwd,
        clearInvalidConfig: false,
        // conf would compile a schema at each start, which takes as long as starting Node.
        deserialize: (text) => {
          // Editors on Windows may write a byte order mark.
          const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
          checkContent(content);
          return content;
        },
        serialize: (content) => {
          checkContent(content);
          return JSON.stringify(content, undefined, '\t');
        },
        // By default, all users could read the file.
        configFileMode: 0o600,
        // Dots in profile names are not paths.
        accessPropertiesByDotNotation: false,
      });
    opened.set(cwd, file);
    return file;
  };
}

/**
 * Loads a module with a home directory. conf asks for it as soon as it is loaded, although it does
 * not use it, and Node throws for a user without a name, as in containers.
 */
async function withHome<T>(directory: string, load: () => Promise<T>): Promise<T> {
  try {
    homedir();
    return load();
  } catch {
    process.env['HOME'] = directory;
    try {
      return await load();
    } finally {
      delete process.env['HOME'];
    }
  }
}
