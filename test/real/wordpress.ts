import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBrowser } from '../../lab/browser.ts'
import { freePort } from '../harness/free-port.ts'
import { until } from '../harness/until.ts'

const PACKAGE = '/usr/share/wordpress'
const HERE = join(import.meta.dirname, 'wordpress')

/** Why WordPress cannot be started here; false if it can. */
export function wordpressMissing(): string | false {
  const programs = ['php', 'mariadbd', 'mariadb'].filter((name) => spawnSync(name, ['--version']).error !== undefined)
  if (programs.length > 0) return `WordPress needs ${programs.join(', ')}`
  return existsSync(`${PACKAGE}/wp-load.php`) ? false : 'there is no Debian package wordpress'
}

export interface RunningWordpress {
  url: string
  /** Runs PHP inside WordPress; `$input` is the given value. */
  run: <Result>(code: string, input?: unknown) => Result
  /** Walks through login and consent; returns the address that the person is sent back to. */
  authorize: (
    url: string,
    person: { name: string; password: string; deny?: boolean },
    stopAt: string,
  ) => Promise<string>
  close: () => Promise<void>
}

/** A copy of the package with a database of its own, on PHP's web server. Its administrator is `ada`. */
export async function startWordpress(): Promise<RunningWordpress> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-wordpress-'))
  const started: ChildProcess[] = []
  const close = async () => {
    for (const child of started.reverse()) await stop(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const root = join(folder, 'site')
    cpSync(PACKAGE, root, { recursive: true, dereference: true, filter: (path) => !path.endsWith('/languages') })
    cpSync(join(HERE, 'wp-config.php'), join(root, 'wp-config.php'))
    const socket = await startDatabase(folder, started)
    const url = `http://127.0.0.1:${await freePort()}`
    const env = { ...process.env, WORDPRESS_DATABASE: `localhost:${socket}`, WORDPRESS_URL: url }
    const run = <Result>(code: string, input?: unknown): Result => {
      const options = { env, input: JSON.stringify(input ?? null), encoding: 'utf8' as const }
      const { status, stdout, stderr } = spawnSync('php', [join(HERE, 'run.php'), root, code], options)
      if (status !== 0) throw new Error(`PHP ended with ${status}: ${stderr} ${stdout}`)
      return (stdout === '' ? undefined : JSON.parse(stdout)) as Result
    }
    run('install')
    const server = ['-S', new URL(url).host, '-t', root, join(HERE, 'router.php')]
    started.push(spawn('php', server, { env, stdio: 'ignore' }))
    await until(
      'WordPress responds',
      async () => (await fetch(`${url}/wp-json/`).catch(() => undefined))?.status === 200,
    )
    return { url, run, authorize: (page, person, stopAt) => authorize(url, page, person, stopAt), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Reached by a socket in the folder. */
async function startDatabase(folder: string, started: ChildProcess[]): Promise<string> {
  const [data, socket, log] = ['data', 'socket', 'database.log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const places = [`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${folder}/pid`, `--log-error=${log}`]
  const small = ['--innodb-buffer-pool-size=16M', '--skip-grant-tables', '--skip-networking']
  const as = process.getuid?.() === 0 ? ['--user=root'] : []
  spawnSync('mkdir', ['-p', data])
  const server = spawn('mariadbd', ['--no-defaults', ...places, ...small, ...as], { stdio: 'ignore' })
  started.push(server)
  await until('the database is ready', () => {
    if (server.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
    return existsSync(log) && readFileSync(log, 'utf8').includes('ready for connections')
  })
  const created = spawnSync('mariadb', [`--socket=${socket}`, '--execute=create database wordpress'], {
    encoding: 'utf8',
  })
  if (created.status !== 0) throw new Error(created.stderr)
  return socket
}

async function authorize(
  url: string,
  page: string,
  { name, password, deny = false }: { name: string; password: string; deny?: boolean },
  stopAt: string,
): Promise<string> {
  const browser = createBrowser({ stopAt: (address) => address.startsWith(stopAt) })
  const login = await browser.open(`${url}/wp-login.php`)
  await browser.submit(login, login.forms[0]!, { log: name, pwd: password, testcookie: '1' })
  const asked = await browser.open(page)
  const form = asked.forms.find(({ fields }) => fields.some((field) => field.name === 'success_url'))
  if (form === undefined) throw new Error(`WordPress does not ask: ${asked.status} ${asked.body.slice(0, 2000)}`)
  const kept = Object.fromEntries(form.fields.map((field) => [field.name, field.value]))
  const { approve: _yes, reject: _no, ...fields } = kept
  const decided = { ...form, fields: Object.entries(fields).map(([field, value]) => ({ name: field, value })) }
  const back = await browser.submit(asked, decided, deny ? { reject: 'no' } : { approve: 'yes' })
  if (!back.stopped) throw new Error(`WordPress did not redirect: ${back.status} ${back.url}`)
  return back.url
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
