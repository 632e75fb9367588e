import { styleText } from 'node:util';

type Env = Readonly<Record<string, string | undefined>>;

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Whether colours are wanted on terminals. No variable forces them into a pipe, where they would be
 * data.
 */
export function wantsColor(env: Env, option: boolean): boolean {
  if (!option || env['NO_COLOR'] || env['CLICOLOR'] === '0' || env['FORCE_COLOR'] === '0')
    return false;
  return env['TERM'] !== 'dumb' || !!env['FORCE_COLOR'] || (env['CLICOLOR_FORCE'] ?? '0') !== '0';
}

const LEADS: Readonly<Record<string, Style>> = {
  error: 'red',
  warning: 'yellow',
  hint: 'cyan',
  note: 'dim',
};

/**
 * Styles text for one stream: with colours, or plain. Pass it only text without control characters.
 */
export class Look {
  readonly #color: boolean;

  constructor(color = false) {
    this.#color = color;
  }

  paint(style: Style | undefined, text: string): string {
    return this.#color && style !== undefined && text !== ''
      ? styleText(style, text, { validateStream: false })
      : text;
  }

  /**
   * Colours the first word of a line, such as `error:`, which may follow a file name and a line
   * number.
   */
  lead(line: string): string {
    return line.replace(
      /^((?:[^\n]*?:\d+:\s)?)(error|warning|hint|note):/,
      (_, place: string, word: string) => place + this.paint(LEADS[word], `${word}:`),
    );
  }
}

/**
 * An http or https address as normalized by the URL standard, without control characters; undefined
 * for other text.
 */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return /^https?:$/.test(protocol) ? href : undefined;
}
