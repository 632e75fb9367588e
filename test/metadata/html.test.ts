import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanHtml } from '../../src/emulator/records/metadata/html.ts';
import { checkRecord } from '../../src/metadata/check.ts';
import { runs } from '../helpers/runs.ts';

/** What is lost of a subject (service.md, W24), next to the text that the service stores. */
describe('a subject', () => {
  const lostOf = (subject: string) =>
    checkRecord({ subjects: [{ subject }] }, 'draft')
      .filter(({ message }) => message.startsWith('would be lost'))
      .map(({ path, value }) => [path, value]);

  it.each([
    // The results of libxml2 2.13.9 with Loofah and bolognese's WhitelistScrubber.
    ['a<Zn and b>Fe', '<Zn and b>', 'aFe'],
    ['p<i', '<i', 'p<i></i>'],
    ['a<b c="x>y" d', '<b c="x>y" d', 'a<b></b>'],
    ['a<!-- c -->b<!x>c', '<!-- c --> … <!x>', 'abc'],
    ['a<!-- c', '<!-- c', 'a'],
    ['a<?php x ?>b', '<?php x ?>', 'ab'],
    ['<p>q</p><br/>', '<p> … </p>', 'q<br>'],
    ['x <mean>', '<mean>', 'x '],
    ['a</ b>', '</', 'a b&gt;'],
    ['a < b, p<0.05, <é>, <- <=', undefined, 'a &lt; b, p&lt;0.05, &lt;é&gt;, &lt;- &lt;='],
    ['H<sub>2</sub>O <I>x</I> <em >y</em>', undefined, 'H<sub>2</sub>O <i>x</i> <em>y</em>'],
    ['x <i>y', undefined, 'x <i>y</i>'],
  ])('%s', (text, lost, stored) => {
    expect(lostOf(text)).toEqual(lost === undefined ? [] : [['subjects[0].subject', lost]]);
    expect(cleanHtml(text)).toBe(stored);
  });

  const PIECES = `<|>|<i>|</i>|<b|<sub>|Zn|b|1|é| |=|"|'|/|!|?|-|<!--|-->|</|<p>|<br/>|&lt;|.|:|_|< |,`;
  const TAG = /<\/?(?:i|b|sub|br)(?:\s+[a-z][\w:.-]*\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?>/gi;
  it('has a warning exactly if the service keeps less of it', () => {
    const plain = (html: string) =>
      html
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>' })[name] ?? '&');
    const pieces = fc.array(fc.constantFrom(...PIECES.split('|')), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join('');
        const bare = text.replaceAll(TAG, '').replaceAll('&lt;', '<');
        const kept = plain(cleanHtml(text));
        expect([text, lostOf(text).length > 0]).toEqual([text, kept.length < bare.length]);
      }),
      { numRuns: runs(100) },
    );
  });
});
