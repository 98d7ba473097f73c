import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  cert: string
  key: string
  certFile: string
  keyFile: string
  remove: () => void
}

/** A self-signed certificate; undefined without openssl. */
export function selfSigned(name: string): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-certificate-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2']
  const files = ['-keyout', keyFile, '-out', certFile]
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject])
  if (made.status !== 0) return undefined
  return {
    cert: readFileSync(certFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
    certFile,
    keyFile,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
