import { type Html, html } from '../../pages/html.ts'

/** Text with `code` between backticks, as HTML. */
export function inlineCode(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
