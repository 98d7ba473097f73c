import { createHash } from 'node:crypto'
import type { HttpReply } from '../exchange/reply.ts'
import { Html, html } from './html.ts'
import { directionOf, type Language } from './languages/languages.ts'

const STYLE = `
:root{color-scheme:light dark;--ink:#16202a;--soft:#566473;--line:#d8dfe6;--paper:#fff;--ground:#f4f6f8;--brand:#0b66c3;--good:#0a7d4b;--warn:#b45309}
@media (prefers-color-scheme:dark){:root{--ink:#e8eef4;--soft:#9fb0c0;--line:#2d3a47;--paper:#18212b;--ground:#10171e;--brand:#6db3ff;--good:#4fd39a;--warn:#f0a94b}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}main.wide{max-width:64rem}main.narrow{max-width:36rem}
h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0 1rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1rem 0 .25rem}a{color:var(--brand)}
.card{background:var(--paper);border:1px solid var(--line);border-radius:12px;padding:1.25rem 1.5rem;margin:1rem 0}.card>:first-child{margin-top:0}.card>:last-child{margin-bottom:0}
code,pre{font:.92em/1.5 ui-monospace,monospace}code{overflow-wrap:anywhere}pre{overflow:auto;background:var(--ground);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem}
table{border-collapse:collapse;width:100%}td,th{text-align:start;vertical-align:top;padding-block:.4rem;padding-inline:0 .6rem;border-bottom:1px solid var(--line)}
.soft{color:var(--soft)}.mark{font-weight:600;letter-spacing:.02em;color:var(--brand)}.method{display:inline-block;min-width:4.2rem;font-weight:600}
details{border-bottom:1px solid var(--line);padding:.5rem 0}details:last-child{border:0}summary{cursor:pointer}details[open]>summary{margin-bottom:.5rem}details td:first-child{width:14rem}
button,.button{display:inline-block;font:inherit;font-weight:600;border:1px solid var(--brand);background:var(--brand);color:var(--paper);border-radius:8px;padding:.6rem 1.1rem;min-height:44px;cursor:pointer;text-decoration:none}
.choices{list-style:none;margin:0;padding:0}.choices li+li{border-top:1px solid var(--line)}
.choices a{display:flex;justify-content:space-between;align-items:center;min-height:52px;padding:.4rem .25rem;font-weight:600;text-decoration:none}.choices a:after{content:"›" / "";font-size:1.4em}.choices a:hover{text-decoration:underline}
.row{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0 .25rem}.warn{border-inline-start:4px solid var(--warn);padding-block:.1rem;padding-inline:.9rem 0}
label{display:block;font-weight:600}.field{margin:1.1rem 0}.field span{display:block}.field .fault{color:var(--warn);font-weight:600}
.field input,.field textarea{display:block;width:100%;font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:8px;padding:.55rem .75rem;min-height:44px;margin:.3rem 0}.field input[aria-invalid]{border:2px solid var(--warn)}
button.quiet,.button.quiet{background:transparent;color:var(--brand)}:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Pages run no scripts and load nothing but images; `form-action *` allows the redirect to the app after a form. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self' https: data:; form-action *; base-uri 'none'; frame-ancestors 'none'`

interface PageOptions {
  wide?: boolean
  narrow?: boolean
  /** English if absent: pages for developers and operators have no other language. */
  language?: Language
}

export function page(title: string, body: Html, options: PageOptions = {}): string {
  const { language = 'en' } = options
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="icon" href="/favicon.svg"><style>${new Html(STYLE)}</style></head>
<body><main class="${options.wide ? 'wide' : options.narrow ? 'narrow' : ''}">
<p class="mark">Tributary</p>
${body}
</main></body>
</html>
`.text
}

export function sendPage(reply: HttpReply, text: string, status = 200, policy = PAGE_POLICY): HttpReply {
  return reply.code(status).type('text/html; charset=utf-8').header('content-security-policy', policy).send(text)
}
