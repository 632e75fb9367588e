// Mermaid in one file, which Vite only copies: bundling the modular package takes longer than
// everything else.
import address from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';

let loading;

/** Loads Mermaid, once, for the first diagram. It is a classic script, not a module. */
export function loadMermaid() {
  loading ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src: address });
    script.addEventListener('load', () => resolve(globalThis.mermaid));
    script.addEventListener('error', reject);
    document.head.append(script);
  });
  return loading;
}
