import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

/** The members of a Findable record, without braces, as text: numbers keep their spelling. */
const COMPLETE = `"url":"https://example.org/1","creators":[{"name":"Doe, Jane"}],
  "titles":[{"title":"A"}],"publisher":"P","publicationYear":2026,
  "types":{"resourceTypeGeneral":"Dataset"}`.replaceAll(/\n\s*/g, '');

const BSD = {
  rights: 'BSD 3-Clause "New" or "Revised" License',
  rightsUri: 'https://opensource.org/licenses/BSD-3-Clause',
  rightsIdentifier: 'bsd-3-clause',
  rightsIdentifierScheme: 'SPDX',
  schemeUri: 'https://spdx.org/licenses/',
};
const { rights: NAME } = BSD;
const RIGHTS = JSON.stringify([{ rights: NAME, rightsIdentifier: 'New BSD' }]);

/** Members of JSON, the value that the service writes, and a part of the note, if there is one. */
const ROWS: readonly (readonly [member: string, stored: unknown, note?: string])[] = [
  [`"rightsList":${RIGHTS}`, [BSD], 'rightsList[0].rightsIdentifier "New BSD" as "bsd-3-clause"'],
  ['"rightsList":[{"rightsIdentifier":"BSD-3-Clause"}]', [BSD]],
  [
    '"rightsList":[{"rights":"https://opensource.org/licenses/BSD-3-Clause/"}]',
    [BSD],
    NAME.slice(0, 6),
  ],
  [
    `"rightsList":[{"rights":"Old","rightsIdentifier":"bsd-3-clause","lang":"en"}]`,
    [{ ...BSD, lang: 'en' }],
    '"Old"',
  ],
  [
    '"rightsList":[{"rights":"Ours","rightsIdentifier":"OURS-1"}]',
    [{ rights: 'Ours', rightsIdentifier: 'ours-1' }],
  ],
  ['"rightsList":"BSD-3-Clause"', [BSD], 'rightsList'],
  ['"version":3.0', '3.0'],
  ['"version":1.10', '1.1', 'version "1.10" as "1.1"'],
  ['"version":1e3', '1000.0', 'version "1e3" as "1000.0"'],
  ['"version":123456789012345678901234567890', '123456789012345678901234567890'],
  ['"version":1E-7', '1.0e-07', 'version'],
  ['"version":true', '1', 'version true as "1"'],
  ['"reason":2.50', '2.5', 'reason'],
  ['"language":"de-AT"', 'de', 'language "de-AT" as "de"'],
  [
    '"subjects":[{"subject":"a"},{"subject":"a"}]',
    [{ subject: 'a' }],
    '2 items of subjects as 1 item',
  ],
  ['"subjects":[{"subject":"a","lang":null}]', [{ subject: 'a' }]],
  ['"sizes":["1 MB",null]', ['1 MB'], 'sizes'],
  ['"publicationYear":"2024-01"', 2024, 'publicationYear "2024-01" as 2024'],
  [
    '"geoLocations":[{"geoLocationPoint":{"pointLatitude":"1.50","pointLongitude":" 2"}}]',
    [{ geoLocationPoint: { pointLatitude: 1.5, pointLongitude: 2 } }],
  ],
];

const recordOf = (doi: string, member: string) => {
  const name = member.slice(0, member.indexOf(':'));
  const members = COMPLETE.replace(new RegExp(`,${name}:[^,]*`), '');
  return `{"doi":"${doi}",${members},${member}}`;
};
const doiOf = (at: number) => `10.5072/rewritten-${at}`;

describe('a value that the service writes in its own way (service.md, W21, W22, W23, W24)', () => {
  let service: TestEmulator;
  beforeAll(async () => {
    const stops: (() => Promise<void>)[] = [];
    service = await emulate({ records: 0 }, (stop) => stops.push(stop));
    return () => Promise.all(stops.map((stop) => stop()));
  });

  it.each(ROWS.map(([member, ...row], at) => [member, at, ...row] as const))(
    '%s',
    async (member, at, stored, note) => {
      const name = JSON.parse(member.slice(0, member.indexOf(':'))) as string;
      const stdin = recordOf(doiOf(at), member);
      const create = ['dois', 'create', '--file', '-', '--event', 'publish'];
      const dry = await service.run([...create, '--dry-run'], { stdin });
      const created = await service.run(create, { stdin });
      expect(created).toMatchObject({ code: 0 });
      const { attributes } = JSON.parse(created.stdout) as { attributes: Record<string, unknown> };
      expect(attributes[name]).toEqual(stored);
      const [notes, expected] = [created, dry].map(({ stderr }) =>
        stderr.split('\n').filter((line) => line.includes('the service stores')),
      );
      expect(expected).toEqual(notes);
      if (note === undefined) expect(notes).toEqual([]);
      else expect(notes).toEqual([expect.stringContaining(note)]);
      const again = await service.run(['dois', 'update', doiOf(at), '--file', '-'], { stdin });
      expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/unchanged|already/) });
    },
  );

  it.each([
    [
      'records.ndjson',
      [7, 8, 9]
        .map((at) =>
          recordOf(doiOf(100 + at), '"version":1.10,"rightsList":["x"]').replace('["x"]', RIGHTS),
        )
        .join('\n'),
      ['version "1.10" as "1.1" (in 3 records)'],
    ],
    [
      'records.csv',
      `doi,url,titles[0].title,creators[0].name,publisher,publicationYear,types.resourceTypeGeneral,version,${['rights', 'rightsIdentifier'].map((name) => `rightsList[0].${name}`)}\n` +
        [1, 2]
          .map(
            (at) =>
              `${doiOf(200 + at)},https://example.org/1,A,B,P,2026,Dataset,3.0,"${NAME.replaceAll('"', '""')}",New BSD`,
          )
          .join('\n'),
      ['in 2 records'],
    ],
  ])('is noted once for all records of %s', async (file, text, parts) => {
    const path = join(temporaryDirectory(), file);
    writeFileSync(path, `${text}\n`);
    const created = await service.run(['dois', 'create', '--file', path, '--event', 'publish']);
    expect(created).toMatchObject({ code: 0 });
    const notes = created.stderr.split('\n').filter((line) => line.includes('the service stores'));
    for (const part of parts) expect(notes.join('\n')).toContain(part);
    expect(notes.filter((line) => line.includes('rightsList'))).toHaveLength(1);
    const again = await service.run(['dois', 'update', '--file', path]);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/[23] unchanged/) });
  });
});
