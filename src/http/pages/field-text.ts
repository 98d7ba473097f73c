import { type Html, html } from './html.ts'
import { TEXTS } from './languages/fields/index.ts'
import type { Language } from './languages/languages.ts'

/** What a connector says in English, in the language of the page; its own words if there is no translation. */
export function fieldText(text: string, language: Language): string {
  const key = keyOf(text)
  return key === undefined ? text : TEXTS[language][key]
}

/** The same as HTML: a text that stays in English says so to screen readers. */
export function fieldHtml(text: string, language: Language): Html {
  const isForeign = language !== 'en' && keyOf(text) === undefined
  return isForeign ? html`<bdi lang="en">${text}</bdi>` : html`${fieldText(text, language)}`
}

function keyOf(text: string): keyof typeof TEXTS.en | undefined {
  const keys = Object.keys(TEXTS.en) as (keyof typeof TEXTS.en)[]
  return keys.find((key) => TEXTS.en[key] === text)
}
