import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBrowser } from '../../lab/browser.ts'
import { startProcess } from '../harness/running.ts'

/** `tributary demo` as a process of its own with an embedded database, and a signed-in person. */
export interface Demo {
  url: string
  clientId: string
  secret: string
  token: string
  pid: number
  stop: () => Promise<void>
}

export async function startDemo(env: Record<string, string> = {}): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-long-'))
  const running = await startProcess(['demo'], { TRIBUTARY_DATA: folder, PORT: '0', ...env })
  const stop = async () => {
    await running.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  try {
    const { url, client_id: clientId, client_secret: secret, redirect_uri: redirect } = running.document
    const browser = createBrowser({ stopAt: (address) => address.startsWith(redirect!) })
    const query = { client_id: clientId!, redirect_uri: redirect!, service: 'demo-social', state: 's' }
    const page = await browser.walk(`${url}/oauth/authenticate?${new URLSearchParams(query).toString()}`, {
      person: 'ada',
    })
    const response = await fetch(`${url}/oauth/access_token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: clientId!,
        client_secret: secret!,
        code: new URL(page.url).searchParams.get('code') ?? '',
      }),
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    return { url: url!, clientId: clientId!, secret: secret!, token, pid: running.child.pid!, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
