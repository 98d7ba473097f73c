import { type Html, html } from './html.ts'
import type { Reply } from './reply.ts'

export interface Brand {
  title: string
  /** The badge's content, usually one emoji or letter. */
  mark: string
  /** Any CSS colour dark enough for white text. */
  accent: string
}

const style = `
:root{color-scheme:light dark;--bg:#f4f5f7;--card:#fff;--ink:#1d2129;--soft:#5b6472;--line:#d8dce3}
@media(prefers-color-scheme:dark){:root{--bg:#14161a;--card:#1e2127;--ink:#eceef2;--soft:#a6aebb;--line:#373c46}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--bg);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:26rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:2rem}
header{display:flex;align-items:center;gap:.75rem;margin-bottom:1.25rem;font-weight:600}
.badge{display:grid;place-items:center;width:2.5rem;height:2.5rem;border-radius:.7rem;background:var(--accent);color:#fff;font-size:1.25rem}
h1{font-size:1.3rem;line-height:1.3;margin:0 0 1rem}
h2{font-size:.95rem;margin:1.5rem 0 .5rem;color:var(--soft);font-weight:500}
p{margin:.5rem 0}.soft{color:var(--soft);font-size:.9rem}
a{color:inherit}
label{display:block;margin:.75rem 0}
input[type=text],input[type=password]{display:block;width:100%;margin-top:.25rem;padding:.6rem .75rem;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:.5rem}
ul{list-style:none;padding:0;margin:1rem 0}li label{display:flex;gap:.6rem;margin:.5rem 0}input[type=checkbox]{flex:none;accent-color:var(--accent);width:1.1rem;height:1.1rem;margin-top:.2rem}
.row{display:flex;flex-wrap:wrap;gap:.6rem;margin-top:1rem}
button{flex:1 1 45%;padding:.65rem 1rem;font:inherit;font-weight:600;border:1px solid var(--line);border-radius:.5rem;background:transparent;color:inherit;cursor:pointer}
button.main{background:var(--accent);border-color:var(--accent);color:#fff}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.problem{border-left:4px solid #c62828;padding:.25rem .75rem;margin:1rem 0}
.pin{font-size:2rem;letter-spacing:.2em;font-variant-numeric:tabular-nums}`

export function page(brand: Brand, title: string, body: Html, status = 200): Reply {
  const whole = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · ${brand.title}</title>
<style>:root{--accent:${brand.accent}}${{ html: style }}</style></head>
<body><main><header><span class="badge" aria-hidden="true">${brand.mark}</span>${brand.title}</header>
<h1>${title}</h1>${body}</main></body></html>`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      // No form-action: browsers also apply it to the redirect after the form, which leads to the app.
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    },
    body: whole.html,
  }
}

export const problemPage = (brand: Brand, title: string, detail: string, status = 400): Reply =>
  page(brand, title, html`<p class="problem" role="alert">${detail}</p>`, status)
