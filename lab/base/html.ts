/** Safe HTML; all other values are escaped. */
export interface Html {
  readonly html: string
}

type Part = Html | readonly Html[] | string | number | undefined

export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  let out = strings[0] ?? ''
  for (const [at, value] of values.entries()) out += render(value) + (strings[at + 1] ?? '')
  return { html: out }
}

function render(value: Part): string {
  if (value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return 'html' in value ? value.html : value.map((part) => part.html).join('')
}

const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => names[mark] ?? mark)
