import { styleText } from 'node:util';

type Env = Readonly<Record<string, string | undefined>>;

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Whether colours are wanted on streams that are terminals. Nothing forces them into a pipe: there they would be data.
 * @param option false with `--no-color`.
 */
export function wantsColor(env: Env, option: boolean): boolean {
  if (!option || env['NO_COLOR'] || env['CLICOLOR'] === '0' || env['FORCE_COLOR'] === '0') return false;
  return env['TERM'] !== 'dumb' || !!env['FORCE_COLOR'] || (env['CLICOLOR_FORCE'] ?? '0') !== '0';
}

const LEADS: Readonly<Record<string, Style>> = {
  error: 'red',
  warning: 'yellow',
  hint: 'cyan',
  note: 'dim',
};

/** How text looks on one stream: with colours and links, or plain. Pass it text without control characters. */
export class Look {
  static readonly plain = new Look(false, false);
  readonly #color: boolean;
  readonly #links: boolean;

  private constructor(color: boolean, links: boolean) {
    this.#color = color;
    this.#links = links;
  }

  /** The look of a terminal: links where it is known to show them, and none without colours. */
  static ofTerminal(env: Env, color: boolean): Look {
    return color ? new Look(true, showsLinks(env)) : Look.plain;
  }

  paint(style: Style | undefined, text: string): string {
    return this.#color && style !== undefined && text !== ''
      ? styleText(style, text, { validateStream: false })
      : text;
  }

  /** A line with the colour of its first word, such as `error:`, which may follow a file and a line. */
  lead(line: string): string {
    return line.replace(
      /^((?:[^\n]*?:\d+:\s)?)(error|warning|hint|note):/,
      (_, place: string, word: string) => place + this.paint(LEADS[word], `${word}:`),
    );
  }

  /** Text that leads to a web address (OSC 8), if that is one and links are shown. */
  link(text: string, address: string | undefined): string {
    const url = this.#links && text !== '' && address !== undefined ? webAddress(address) : undefined;
    return url === undefined ? text : `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007`;
  }
}

/** Takes the links out of text that a pager shows: older ones print their codes. */
export function withoutLinks(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of links.
  return text.replace(/\u001b\]8;;[^\u0007]*\u0007/g, '');
}

/** An http or https address as the URL standard spells it, without control characters; undefined for other text. */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return /^https?:$/.test(protocol) ? href : undefined;
}

/** Terminals that are known to show links; others print nothing for the codes at best. */
function showsLinks(env: Env): boolean {
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION = '' } = env;
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined) return forced !== '0';
  // tmux and screen do not pass the codes on unless they are told to.
  if (env['CI'] || /^(dumb|screen|tmux)/.test(TERM)) return false;
  return (
    /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|zed)$/.test(TERM_PROGRAM) ||
    /kitty|alacritty|ghostty|foot/.test(TERM) ||
    Number(VTE_VERSION) > 5000 ||
    ['WT_SESSION', 'KONSOLE_VERSION', 'DOMTERM'].some((name) => !!env[name])
  );
}
