import process from 'node:process';
import type Conf from 'conf';
import type { Schema } from 'conf';

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

const TEXT = { type: 'string' } as const;
const STORE = { enum: Object.keys(STORES) };
/** The schema of an object with only these members. */
const only = (properties: Record<string, object>, required: string[] = []) =>
  ({ type: 'object', properties, required, additionalProperties: false }) as const;

const schema = (): Schema<FileContent> => ({
  profiles: {
    type: 'object',
    additionalProperties: only({
      'base-url': TEXT,
      repository: TEXT,
      mailto: TEXT,
      prefix: TEXT,
      'base-url-before-login': TEXT,
    }),
  },
  stored: {
    type: 'array',
    items: only(
      {
        baseUrl: TEXT,
        kind: { enum: ['repository', 'api-key'] },
        account: TEXT,
        place: STORE,
        olderIn: STORE,
      },
      ['baseUrl', 'kind', 'account', 'place'],
    ),
  },
});

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Reads, checks and writes the settings file of a folder. Every use of `store` reads the file
 * again.
 */
export type SettingsFile = Conf<FileContent>;

/**
 * Cached by folder: conf compiles the schema each time, and a command reads the settings several
 * times.
 */
const opened = new Map<string, SettingsFile>();

/**
 * Loads conf, which most commands do not need. @returns a function that opens the settings file in
 * a folder, and throws the errors of conf and its parser.
 */
export async function loadConf(): Promise<(cwd: string) => SettingsFile> {
  const known = SIGNALS.map((signal) => process.listeners(signal));
  const { default: Settings } = await import('conf');
  // conf's file writer raises each signal again: like a second Ctrl-C, and on Windows it ends the
  // process.
  for (const [index, signal] of SIGNALS.entries()) {
    const added = process.listeners(signal).filter((listener) => !known[index]?.includes(listener));
    for (const listener of added) process.removeListener(signal, listener);
  }
  return (cwd) => {
    const file =
      opened.get(cwd) ??
      new Settings<FileContent>({
        // The default folder needs a home directory, which not every user has.
        cwd,
        schema: schema(),
        // ajv would compile the meta-schema, which takes as long as starting Node.
        ajvOptions: { validateSchema: false },
        clearInvalidConfig: false,
        // Editors on Windows may write a byte order mark.
        deserialize: (text) => JSON.parse(text.replace(/^\uFEFF/, '')),
        // By default everybody could read the file.
        configFileMode: 0o600,
        // Dots in profile names are not paths.
        accessPropertiesByDotNotation: false,
      });
    opened.set(cwd, file);
    return file;
  };
}
