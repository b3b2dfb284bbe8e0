import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** An authority of a test's own. */
export interface TestAuthority {
  readonly certificate: string;
  readonly path: string;
  /** Issues a certificate for subject alternative names such as `DNS:a.test` or `IP:127.0.0.1`. */
  issue(name: string, subjectAltName: string, validity?: 'expired'): Promise<CertificateFiles>;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

const filesOf = async (folder: string, name: string): Promise<CertificateFiles> => {
  const [certificatePath, keyPath] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const [certificate, key] = await Promise.all([readFile(certificatePath, 'utf8'), readFile(keyPath, 'utf8')]);
  return { certificate, key, certificatePath, keyPath };
};

/** Makes one with the machine's openssl, in a folder that is removed when the test is over. */
export const createAuthority = async (): Promise<TestAuthority> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-ca-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: folder });
  await openssl(
    'req',
    '-x509',
    ...NEW_KEY,
    '-subj',
    '/CN=Test CA',
    '-days',
    '2',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  const authority = await filesOf(folder, 'ca');
  return {
    certificate: authority.certificate,
    path: authority.certificatePath,
    issue: async (name, subjectAltName, validity) => {
      await openssl('req', '-new', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
      await writeFile(join(folder, `${name}.ext`), `subjectAltName=${subjectAltName}\n`);
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`];
      const issued = ['-in', `${name}.csr`, '-out', `${name}.pem`];
      await openssl('x509', '-req', ...issued, ...signed, ...['-days', validity === 'expired' ? '-1' : '2']);
      return filesOf(folder, name);
    },
  };
};
