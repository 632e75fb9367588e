import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FACTS = 'docs/dev/service.md';
// These read the document, and cite no fact.
const READERS = ['test/service-facts.test.ts', '.ci/tests/facts.test.ts', 'scripts/facts.mjs'];

// A citation in these folders means that something depends on the fact.
const CODE = ['src', 'test', 'scripts'];
const files = [...CODE, 'docs']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name).replaceAll('\\', '/'),
    ),
  )
  .filter((file) => /\.([cm]?[jt]s|md|sh|wat)$/.test(file) && !READERS.includes(file));
const texts = new Map(
  [...files, 'README.md'].map((file) => [file, flat(readFileSync(file, 'utf8'))]),
);

/** Joins the lines of a text and of its comments: a citation may be wrapped. */
function flat(text: string): string {
  return text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#|;;)?[ \t]*/g, ' ');
}

/** The facts that a text cites: `(service.md, P3)`, or several as in `(service.md, P3, P9)`. */
function citedIn(text: string): string[] {
  return [...text.matchAll(/service\.md, ([A-Z]\d+(?:, [A-Z]\d+)*)/g)].flatMap(([, ids = '']) =>
    ids.split(', '),
  );
}

const citations = [...texts]
  .filter(([file]) => file !== FACTS)
  .flatMap(([file, text]) => citedIn(text).map((id) => ({ file, id })));

const source = readFileSync(FACTS, 'utf8').trimEnd();
const facts = source.split('\n\n').flatMap((paragraph) => {
  const [, id = '', text = ''] = /^\*\*([A-Z]\d+)\*\* (.*)$/s.exec(paragraph) ?? [];
  return id === '' ? [] : [{ id, text: flat(text) }];
});
const ids = facts.map(({ id }) => id);

describe('the facts of docs/dev/service.md', () => {
  it('are read', () => {
    expect(ids.length).toBeGreaterThan(80);
    expect(source.match(/^\*\*[A-Z]\d+\*\*/gm)).toHaveLength(ids.length);
    expect(citations.length).toBeGreaterThan(100);
  });

  it('are numbered from 1 in each section, without gaps', () => {
    const sections = [...new Set(ids.map((id) => id[0]))];
    const counted = sections.flatMap((letter) =>
      ids.filter((id) => id[0] === letter).map((_, index) => `${letter}${index + 1}`),
    );
    expect(ids).toEqual(counted);
    // One letter for each section.
    const headings = source.split(/^## /m).slice(1);
    for (const heading of headings) {
      const letters = new Set(
        [...heading.matchAll(/^\*\*([A-Z])\d+\*\*/gm)].map(([, letter]) => letter),
      );
      expect(letters.size, heading.split('\n')[0]).toBeLessThanOrEqual(1);
    }
    expect(headings.filter((heading) => /^\*\*[A-Z]\d/m.test(heading))).toHaveLength(
      sections.length,
    );
  });

  it('are linked from the guide for contributors', () => {
    expect(readFileSync('CONTRIBUTING.md', 'utf8')).toContain(`](${FACTS})`);
  });

  it.each(facts.map(({ id, text }) => [id, text]))(
    '%s has a source and says what the client does',
    (_, text) => {
      expect(text).toMatch(/\. Source: \S.*\. Client: \S.*\.$/s);
    },
  );

  it('refer to facts that exist', () => {
    const named = facts.flatMap(
      ({ text }) => text.match(/(?<![\w`/.-])[KAPFEWSDO]\d+(?![\w`/.-])/g) ?? [],
    );
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each(ids)('%s is cited by code or a test', (id) => {
    const inCode = citations.filter(({ file }) => CODE.includes(file.split('/')[0] ?? ''));
    expect(inCode.map((citation) => citation.id)).toContain(id);
  });
});

describe('a citation', () => {
  it('names a fact that exists', () => {
    expect(citations.filter(({ id }) => !ids.includes(id))).toEqual([]);
  });

  it('has one form in code and tests', () => {
    const OTHER = /(?<!\()service\.md.{0,20}|service\.md(?!(?:, [A-Z]\d+)+\)).{0,20}/g;
    const others = [...texts].flatMap(([file, text]) =>
      CODE.includes(file.split('/')[0] ?? '')
        ? (text.match(OTHER) ?? []).map((words) => `${file}: ${words}`)
        : [],
    );
    expect(others).toEqual([]);
  });

  it('stands wherever a behaviour of the service is called observed or specified', () => {
    const OLD = /\(observed\b|\bobserved[:.]|\bas observed\b|\bspecification,? sections? \d/gi;
    const left = [...texts].flatMap(([file, text]) =>
      (text.match(OLD) ?? []).map((words) => `${file}: ${words}`),
    );
    expect(left).toEqual([]);
  });
});
