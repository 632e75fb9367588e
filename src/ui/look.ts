import { styleText } from 'node:util';

type Env = Readonly<Record<string, string | undefined>>;

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Whether colours are wanted on terminals. Nothing forces them into a pipe: there they would be
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
 * How text looks on one stream: with colours, or plain. Pass it text without control characters.
 */
export class Look {
  static readonly plain = new Look(false);
  static readonly coloured = new Look(true);
  readonly #color: boolean;

  private constructor(color: boolean) {
    this.#color = color;
  }

  paint(style: Style | undefined, text: string): string {
    return this.#color && style !== undefined && text !== ''
      ? styleText(style, text, { validateStream: false })
      : text;
  }

  /**
   * A line with the colour of its first word, such as `error:`, which may follow a file and a line.
   */
  lead(line: string): string {
    return line.replace(
      /^((?:[^\n]*?:\d+:\s)?)(error|warning|hint|note):/,
      (_, place: string, word: string) => place + this.paint(LEADS[word], `${word}:`),
    );
  }
}

/**
 * An http or https address as the URL standard spells it, without control characters; undefined for
 * other text.
 */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return /^https?:$/.test(protocol) ? href : undefined;
}
