import { createBrowser, type Page } from '../../lab/browser.ts'

/**
 * Stands for the reader's browser (`xdg-open`): opens an address, picks Demo Social where there is a choice, logs in as
 * Ada, and agrees. Prints the address at which the walk ended.
 */
const [address = ''] = process.argv.slice(2)
const person = process.env['PERSON'] ?? 'ada'
const browser = createBrowser()
let page = await opened(address)
const choice = page.links.find(({ label }) => /Social/.test(label))
if (choice !== undefined) page = await browser.open(new URL(choice.href, page.url).href)
if (page.forms.some(({ id }) => id === 'quick-login')) page = await browser.login(page, person)
if (page.forms.some(({ id }) => id === 'consent')) page = await browser.decide(page, 'allow')
const confirm = page.forms.find(({ action }) => action === '/oauth/confirm')
if (confirm !== undefined) page = await browser.submit(page, confirm, { answer: 'yes' })
process.stderr.write(`${page.status} ${page.url}\n`)
if (page.status >= 400) throw new Error(page.body)

/** A server that a block started in the background may not listen yet. */
async function opened(url: string, attempts = 100): Promise<Page> {
  try {
    return await browser.open(url)
  } catch (error) {
    if (attempts === 0) throw error
    // Another process listens soon; it sends this one no event.
    await new Promise((resolve) => setTimeout(resolve, 100))
    return opened(url, attempts - 1)
  }
}
