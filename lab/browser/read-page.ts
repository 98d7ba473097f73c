export type Fields = Record<string, string | string[]>

export interface Form {
  id: string
  method: 'get' | 'post'
  action: string
  /** The values a browser would submit unchanged: hidden and text fields, checked boxes; no buttons. */
  fields: { name: string; value: string }[]
  buttons: { name: string; value: string; label: string }[]
}

export interface PageContent {
  title: string
  forms: Form[]
  links: { href: string; label: string }[]
}

/** A minimal HTML reader, sufficient for Tributary's pages and the lab's. */
export function readPage(html: string): PageContent {
  return {
    title: plain(/<title>([\s\S]*?)<\/title>/i.exec(html)?.[1] ?? ''),
    forms: [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, tag = '', inner = '']) =>
      readForm(tag, inner),
    ),
    links: [...html.matchAll(/<a\b([^>]*)>([\s\S]*?)<\/a>/gi)].map(([, tag = '', inner = '']) => ({
      href: attributes(tag)['href'] ?? '',
      label: plain(inner),
    })),
  }
}

function readForm(tag: string, inner: string): Form {
  const own = attributes(tag)
  const fields: Form['fields'] = []
  for (const [, inputTag = ''] of inner.matchAll(/<input\b([^>]*)>/gi)) {
    const { name, value, type = 'text', checked } = attributes(inputTag)
    const isBox = type === 'checkbox' || type === 'radio'
    if (name === undefined || type === 'submit' || (isBox && checked === undefined)) continue
    fields.push({ name, value: value ?? (isBox ? 'on' : '') })
  }
  for (const [, areaTag = '', text = ''] of inner.matchAll(/<textarea\b([^>]*)>([\s\S]*?)<\/textarea>/gi)) {
    const { name } = attributes(areaTag)
    if (name !== undefined) fields.push({ name, value: decode(text) })
  }
  for (const [, selectTag = '', options = ''] of inner.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/gi)) {
    const { name } = attributes(selectTag)
    const choices = [...options.matchAll(/<option\b([^>]*)>/gi)].map(([, optionTag = '']) => attributes(optionTag))
    const chosen = choices.find(({ selected }) => selected !== undefined) ?? choices[0]
    if (name !== undefined && chosen?.['value'] !== undefined) fields.push({ name, value: chosen['value'] })
  }
  const buttons = [...inner.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/gi)].map(
    ([, buttonTag = '', text = '']) => {
      const { name = '', value = '' } = attributes(buttonTag)
      return { name, value, label: plain(text) }
    },
  )
  const method = own['method']?.toLowerCase() === 'post' ? 'post' : 'get'
  return { id: own['id'] ?? '', method, action: own['action'] ?? '', fields, buttons }
}

function attributes(tag: string): Record<string, string | undefined> {
  const found: Record<string, string> = {}
  for (const [, name = '', double, single, bare] of tag.matchAll(
    /([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  ))
    found[name.toLowerCase()] = decode(double ?? single ?? bare ?? '')
  return found
}

const plain = (html: string): string =>
  decode(html.replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim()

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

const decode = (text: string): string =>
  text.replaceAll(/&(#x?[0-9a-f]+|\w+);/gi, (whole, code: string) => {
    if (!code.startsWith('#')) return named[code] ?? whole
    return String.fromCodePoint(/^#x/i.test(code) ? Number.parseInt(code.slice(2), 16) : Number(code.slice(1)))
  })
