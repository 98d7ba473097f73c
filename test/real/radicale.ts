import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../harness/free-port.ts'
import { until } from '../harness/until.ts'

/** The system's Python: Debian's packages are not in any other. */
const PYTHON = '/usr/bin/python3'

/** Why Radicale cannot be started here; false if it can. */
export function radicaleMissing(): string | false {
  return spawnSync(PYTHON, ['-c', 'import radicale']).status === 0 ? false : 'there is no Debian package radicale'
}

export interface RunningRadicale {
  url: string
  /** A request as the person; throws unless it succeeds. */
  dav: (method: string, path: string, body?: string, headers?: Record<string, string>) => Promise<string>
  /** Creates an address book or a calendar below the person's home. */
  createCollection: (name: string, kind: 'addressbook' | 'calendar', title: string) => Promise<void>
  /** Gives people new passwords. */
  setPassword: (name: string, password: string) => void
  /** Forgets what older sync tokens mean, as a server does after some time; returns how many there were. */
  forgetTokens: () => number
  close: () => Promise<void>
}

export const ADA = { name: 'ada', password: 'ada-password' }

/** A server with a folder of its own. */
export async function startRadicale(): Promise<RunningRadicale> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-radicale-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const [users, config, log] = ['users', 'config', 'log'].map((name) => join(folder, name)) as [string, string, string]
  const passwords = new Map([[ADA.name, ADA.password]])
  const writePasswords = () =>
    writeFileSync(users, [...passwords].map(([name, password]) => `${name}:${password}\n`).join(''))
  writePasswords()
  writeFileSync(
    config,
    [
      `[server]\nhosts = 127.0.0.1:${port}`,
      `[auth]\ntype = htpasswd\nhtpasswd_filename = ${users}\nhtpasswd_encryption = plain\ndelay = 0`,
      `[storage]\nfilesystem_folder = ${folder}/data`,
    ].join('\n'),
  )
  writeFileSync(log, '')
  const child: ChildProcess = spawn(PYTHON, ['-m', 'radicale', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr?.on('data', (chunk: Buffer) => writeFileSync(log, chunk, { flag: 'a' }))
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const dav: RunningRadicale['dav'] = async (method, path, body, headers = {}) => {
    const authorization = `Basic ${Buffer.from(`${ADA.name}:${passwords.get(ADA.name)}`).toString('base64')}`
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: { authorization, ...headers },
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text
  }
  try {
    await until('Radicale responds', async () => {
      if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
      return (await fetch(`${url}/.web/`).catch(() => undefined)) !== undefined
    })
    await dav('PROPFIND', '/ada/', undefined, { depth: '0' })
    return {
      url,
      dav,
      createCollection: async (name, kind, title) => {
        await dav('MKCOL', `/ada/${name}/`, mkcol(kind, title))
      },
      setPassword: (name, password) => {
        passwords.set(name, password)
        writePasswords()
      },
      forgetTokens: () => {
        const tokens = ['-path', '*/.Radicale.cache/sync-token/*', '-print', '-delete']
        const { stdout } = spawnSync('find', [join(folder, 'data'), ...tokens], { encoding: 'utf8' })
        return stdout.split('\n').filter(Boolean).length
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function mkcol(kind: 'addressbook' | 'calendar', title: string): string {
  const [type, namespace] = kind === 'calendar' ? ['cal:calendar', 'caldav'] : ['cal:addressbook', 'carddav']
  return `<?xml version="1.0"?><mkcol xmlns="DAV:" xmlns:cal="urn:ietf:params:xml:ns:${namespace}"><set><prop>
    <resourcetype><collection/><${type}/></resourcetype><displayname>${title}</displayname></prop></set></mkcol>`
}
