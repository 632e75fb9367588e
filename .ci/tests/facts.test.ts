import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacks } from '../../test/helpers/platform.ts';
import { temporaryDirectory } from '../../test/helpers/temporary.ts';

/** A small repository with two commits, and a document that cites its files. */
function repository() {
  const folder = temporaryDirectory();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@y.z', ...args], {
      encoding: 'utf8',
    }).trim();
  const file = (name: string, ...lines: string[]) =>
    writeFileSync(join(folder, 'app', name), `${lines.join('\n')}\n`);
  mkdirSync(join(folder, 'app'));
  git('init', '--quiet');
  file('doi.rb', 'class Doi', '  def query', '    1', '  end', 'end');
  file('client.rb', 'class Client', '  A = 1', '  B = 1', 'end');
  file('same.rb', 'same');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  const base = git('rev-parse', '--short', 'HEAD');
  file('doi.rb', 'class Doi', '  def query', '    2', '  end', 'end');
  file('client.rb', 'class Client', '  A = 1', '  B = 2', 'end');
  git('commit', '--quiet', '--all', '--message', 'Change the query');
  const document = join(folder, 'service.md');
  const fact = (id: string, source: string) => `**${id}** It is so. Source: ${source}. Client: is.`;
  const facts = [
    fact('K1', 'lupo: app/doi.rb (`a; b`), app/same.rb; poodle: app/doi.rb'),
    fact('K2', 'lupo: app/client.rb:2'),
    fact('K3', 'lupo:\napp/client.rb:3'),
    fact('K4', 'poodle: app/doi.rb'),
  ];
  const head = `"lupo" is \`datacite/lupo\`, the REST API, read at\ncommit ${base} (August 2026).`;
  writeFileSync(document, [head, ...facts].join('\n\n'));
  const run = (...args: string[]) => {
    const env = { ...process.env, FACTS_DOCUMENT: document };
    const options = { encoding: 'utf8', env } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/facts.mjs', ...args],
      options,
    );
    return { status, stdout, stderr };
  };
  return { folder, base, run };
}

it.skipIf(lacks('git'))('npm run facts lists the facts whose sources have changed', () => {
  const { folder, base, run } = repository();
  const changed = run(folder);
  expect(changed).toMatchObject({ status: 1, stderr: '' });
  expect(changed.stdout).toMatch(
    /^K1 app\/doi\.rb\n {4}1 changes in def query\n {4}\w+ Change the query\nK3 app\/client\.rb\n/,
  );
  expect(changed.stdout).toMatch(
    new RegExp(`\n2 citations to read again, from ${base} to \\w+\n$`),
  );
  expect(run(folder, base)).toMatchObject({
    status: 0,
    stdout: `0 citations to read again, from ${base} to ${base}\n`,
  });
  expect(run(folder, 'nosuch')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('rev-parse'),
  });
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('usage: npm run') });
});
