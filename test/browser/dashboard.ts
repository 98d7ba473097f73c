import { FROM_DASHBOARD, PASSWORD, secretIn } from '../harness/operator.ts'
import type { Page, RunningBrowser } from '../real/browser.ts'
import { builtWeb } from './built-web.ts'
import { type WatchedPage, watchPage } from './watched-page.ts'

interface DashboardServer {
  url: string
  adminToken: string
}

/** The cookie of an operator who may do everything; one for each server, because passwords take time. */
const cookies = new Map<string, Promise<{ name: string; value: string; url: string }>>()

/** Signs in as an operator who may do everything. */
export async function signIn(page: Page, server: DashboardServer): Promise<void> {
  const cookie = cookies.get(server.url) ?? newOperatorCookie(server)
  cookies.set(server.url, cookie)
  await page.context().addCookies([await cookie])
}

async function newOperatorCookie({ url, adminToken }: DashboardServer) {
  const post = async (path: string, body: object, headers: Record<string, string>) => {
    const options = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    }
    const response = await fetch(`${url}${path}`, options)
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
    return response
  }
  const invited = await post('/admin/operators', { role: 'operator' }, { authorization: `Bearer ${adminToken}` })
  const link = (await invited.json()) as { id: string; url: string }
  const accepted = await post(
    '/dashboard/link/accept',
    { token: secretIn(link.url), name: `Tester ${link.id}`, password: PASSWORD },
    FROM_DASHBOARD,
  )
  const [name = '', value = ''] = (accepted.headers.get('set-cookie') ?? '').split(/[=;]/)
  return { name, value, url }
}

/** Opens a page of the dashboard in a new browser window, signed in. `allowed`: console messages that belong to what the test does. */
export async function openDashboard(
  browser: RunningBrowser,
  server: DashboardServer,
  path = '',
  allowed: RegExp[] = [],
): Promise<WatchedPage> {
  await builtWeb()
  const watched = await watchPage(await browser.page(), allowed)
  await signIn(watched.page, server)
  await watched.page.goto(`${server.url}/dashboard${path}`)
  return watched
}
