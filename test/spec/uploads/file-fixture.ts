import assert from 'node:assert/strict'
import type { Browser, Page } from '../../../lab/browser.ts'
import { makeApp } from '../../harness/app.ts'
import { get } from '../../harness/send.ts'
import {
  codeOf,
  continued,
  type Granted,
  newBrowser,
  REDIRECT,
  redeemed,
  startUrl,
  type WithApp,
} from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

export interface FileHarness extends WithApp {
  tributary: Tributary
}

/** The service, with an app that has no keys. */
export async function startFileHarness(...options: Parameters<typeof startTributary>): Promise<FileHarness> {
  const tributary = await startTributary(...options)
  return { tributary, app: await makeApp(tributary, { name: 'File App', redirectUris: [REDIRECT] }) }
}

/** An iCalendar file with an event for each uid. */
export function calendar(...events: { uid: string; title: string; lines?: string[] }[]): string {
  const blocks = events.flatMap(({ uid, title, lines = [] }) => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTART:20260301T100000Z',
    'DTEND:20260301T110000Z',
    `SUMMARY:${title}`,
    ...lines,
    'END:VEVENT',
  ])
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...blocks, 'END:VCALENDAR', ''].join('\r\n')
}

/** A vCard file without UIDs, as most exports have it. */
export function cards(...people: { name: string; email?: string; lines?: string[] }[]): string {
  return people
    .flatMap(({ name, email, lines = [] }) => [
      'BEGIN:VCARD',
      'VERSION:3.0',
      `FN:${name}`,
      ...(email === undefined ? [] : [`EMAIL;TYPE=HOME:${email}`]),
      ...lines,
      'END:VCARD',
      '',
    ])
    .join('\r\n')
}

export async function openFilePage(
  harness: FileHarness,
  query: Record<string, string> = {},
  browser: Browser = newBrowser(),
): Promise<{ browser: Browser; page: Page }> {
  const page = await browser.open(startUrl(harness, 'files', query, harness.app))
  assert.equal(page.status, 200, page.body)
  return { browser, page }
}

/** Uploads on the page; returns the page that follows. */
export function uploadOn(
  browser: Browser,
  page: Page,
  content: string | Buffer<ArrayBuffer>,
  name = 'export.ics',
): Promise<Page> {
  const form = page.forms.find(({ action }) => action.startsWith('/oauth/file'))
  assert.ok(form, page.body)
  const body = new FormData()
  body.append('file', new Blob([content]), name)
  return browser.upload(page, form, body)
}

/** The whole way of a person: page, file, code, token. */
export async function connectFile(
  harness: FileHarness,
  content: string | Buffer<ArrayBuffer>,
  {
    query = {},
    browser = newBrowser(),
    name = 'export.ics',
  }: { query?: Record<string, string>; browser?: Browser; name?: string } = {},
): Promise<Granted> {
  const { page } = await openFilePage(harness, query, browser)
  const back = await continued(browser, await uploadOn(browser, page, content, name))
  assert.ok(back.stopped, back.body)
  return redeemed(harness, codeOf(new URL(back.url)))
}

/** Waits until every file that belongs to a profile is read. */
export async function filesRead(harness: FileHarness, token: string): Promise<void> {
  await until('the files are read', async () => {
    const { body } = await get(harness, '/sync', token)
    const left = await harness.tributary.sql('select 1 from upload where expires_at is null')
    return body['state'] === 'complete' && left.length === 0
  })
}

/** The ids of uploads that are stored, also of those of which only parts are left. */
export async function uploadIds({ tributary }: FileHarness): Promise<string[]> {
  const rows = await tributary.sql<{ id: string }>('select id from upload union select upload_id from upload_part')
  return rows.map(({ id }) => id)
}

/** Asserts that nothing was stored since. Uploads of other tests may be read and removed meanwhile. */
export async function assertNothingStored(harness: FileHarness, before: readonly string[]): Promise<void> {
  const added = (await uploadIds(harness)).filter((id) => !before.includes(id))
  assert.deepEqual(added, [])
}

/** How many uploads are stored, in any state, and their parts. */
export async function storedUploads({ tributary }: FileHarness): Promise<{ uploads: number; parts: number }> {
  const [row] = await tributary.sql<{ uploads: number; parts: number }>(
    'select (select count(*)::int from upload) as uploads, (select count(*)::int from upload_part) as parts',
  )
  return row!
}
