import { describe, expect, it, onTestFinished } from 'vitest';
import { ciRequire } from '../../helpers/ci-packages.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { lacks } from '../../helpers/platform.ts';

const BUCKET = 'monthly-datafile.datacite.org';

interface S3Client {
  send(command: object): Promise<{
    readonly EncodingType?: string;
    readonly Contents?: readonly { readonly Key?: string }[];
    readonly NextContinuationToken?: string;
    readonly Body?: { transformToString(): Promise<string> };
  }>;
  destroy(): void;
}

const { GetObjectCommand, ListObjectsV2Command, S3Client } = lacks('ciPackages')
  ? {}
  : ciRequire('@aws-sdk/client-s3');

/** The public S3 client with the credentials that the program prints, or with another secret. */
async function clientOf(
  emulator: TestEmulator,
  format: 'json' | 'aws',
  secret?: string,
): Promise<S3Client> {
  const { stdout } = await emulator.run(['datafile', 'credentials', '--format', format]);
  const printed = JSON.parse(stdout) as Record<string, string>;
  const names = {
    json: ['access_key_id', 'secret_access_key', 'session_token'],
    aws: ['AccessKeyId', 'SecretAccessKey', 'SessionToken'],
  }[format];
  const [accessKeyId = '', secretAccessKey = '', sessionToken = ''] = names.map(
    (name) => printed[name] ?? '',
  );
  const client: S3Client = new S3Client({
    region: 'eu-west-1',
    endpoint: String(emulator.env['DOI_CLI_DATAFILE_ENDPOINT']),
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey: secret ?? secretAccessKey, sessionToken },
  });
  onTestFinished(() => client.destroy());
  return client;
}

describe.skipIf(lacks('ciPackages'))('the client of AWS', () => {
  it.each(['json', 'aws'] as const)(
    'lists the bucket and reads an object with --format %s',
    async (format) => {
      const emulator = await emulate({ records: 300 });
      const strange = 'dois/updated_2026-05/ä + 100%.txt';
      const body = Buffer.from('straße').toString('base64');
      await emulator.control('datafile', { key: strange, body });
      const client = await clientOf(emulator, format);

      const keys: (string | undefined)[] = [];
      let token: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({
            Bucket: BUCKET,
            EncodingType: 'url',
            MaxKeys: 40,
            ContinuationToken: token,
          }),
        );
        expect(page.EncodingType).toBe('url');
        expect(page.Contents?.length).toBeGreaterThan(0);
        keys.push(...(page.Contents ?? []).map(({ Key }) => Key));
        token = page.NextContinuationToken;
      } while (token !== undefined);
      expect(keys.length).toBeGreaterThan(40);
      // The client leaves the decoding of keys to its user, as AWS documents it.
      expect(keys).toContain('dois/updated_2026-05/%C3%A4%20%2B%20100%25.txt');
      expect(keys).toContain('MANIFEST.json');

      const object = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: strange }));
      expect(await object.Body?.transformToString()).toBe('straße');
      const part = new GetObjectCommand({
        Bucket: BUCKET,
        Key: 'MANIFEST.json',
        Range: 'bytes=0-0',
      });
      expect(await (await client.send(part)).Body?.transformToString()).toBe('[');
    },
  );

  it('is refused with a secret that is not the one given out', async () => {
    const client = await clientOf(await emulate({ records: 1 }), 'json', 'wrong');
    const list = client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    await expect(list).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
  });
});
