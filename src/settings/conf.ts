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
   * The `base-url` before a login changed it, '' for none; absent when the user has set `base-url`.
   */
  readonly 'base-url-before-login'?: string;
}

export type StoreKind = 'keychain' | 'insecure-file';

/** What the settings know of a stored credential; the secret itself is not here. */
export interface StoredCredential {
  readonly baseUrl: string;
  readonly kind: 'repository' | 'api-key';
  /** The repository account, as it was typed or as the service named it. */
  readonly account: string;
  readonly place: StoreKind;
  /** The store that may still have an older secret of the same credential. */
  readonly olderIn?: StoreKind;
}

interface FileContent {
  profiles?: Readonly<Record<string, Profile>>;
  stored?: readonly StoredCredential[];
}

const TEXT = { type: 'string' } as const;
const STORE = { enum: ['keychain', 'insecure-file'] };
/** An object without other members than these. */
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
 * What reads, checks and writes the settings file of a folder. Its `store` is read anew each time.
 */
export type SettingsFile = Conf<FileContent>;

/**
 * By their folders: conf compiles the schema for each, and a command reads the settings more than
 * once.
 */
const opened = new Map<string, SettingsFile>();

/**
 * Loads conf, which most commands run without. @returns opens the settings file in a folder, and
 * throws what it and its parser throw.
 */
export async function loadConf(): Promise<(cwd: string) => SettingsFile> {
  const known = SIGNALS.map((signal) => process.listeners(signal));
  const { default: Settings } = await import('conf');
  // What writes its file raises each signal again: a second Ctrl-C, and on Windows the end of the
  // process.
  for (const [index, signal] of SIGNALS.entries()) {
    const added = process.listeners(signal).filter((listener) => !known[index]?.includes(listener));
    for (const listener of added) process.removeListener(signal, listener);
  }
  return (cwd) => {
    const file =
      opened.get(cwd) ??
      new Settings<FileContent>({
        // Its own folder would ask for a home directory, which not every user has.
        cwd,
        schema: schema(),
        // ajv would compile the schema of schemas, which takes as long as Node's start.
        ajvOptions: { validateSchema: false },
        clearInvalidConfig: false,
        // Editors on Windows begin a file with a byte order mark.
        deserialize: (text) => JSON.parse(text.replace(/^\uFEFF/, '')),
        // It would let everybody read the file.
        configFileMode: 0o600,
        // Dots in profile names are not paths.
        accessPropertiesByDotNotation: false,
      });
    opened.set(cwd, file);
    return file;
  };
}
