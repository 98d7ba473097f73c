import assert from 'node:assert/strict'
import type { Page } from '../real/browser.ts'

interface Findings {
  lang: string
  title: string
  headings: number
  viewport: boolean
  unnamed: string[]
  imagesWithoutText: number
  scripts: number
  pale: string[]
  small: string[]
  overflows: boolean
}

// Runs inside the page: the accessibility rules that every page must meet.
const LOOK = `(() => {
  const shown = (element) => element.getClientRects().length > 0 && element.checkVisibility()
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown)
  const channel = (value) => { const c = value / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4 }
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number)
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor)
      if (color.length === 3 || color[3] > 0) return color
    }
    return [255, 255, 255]
  }
  const contrast = (element) => {
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(background(element))].sort((x, y) => y - x)
    return (a + 0.05) / (b + 0.05)
  }
  const withText = all('main *').filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
  const label = (field) => (field.labels?.length ?? 0) > 0 || field.getAttribute('aria-label')
  return {
    lang: document.documentElement.lang,
    title: document.title,
    headings: all('h1').length,
    viewport: document.querySelector('meta[name=viewport]') !== null,
    unnamed: [...all('button, a').filter((element) => element.innerText.trim() === ''), ...all('input, select, textarea').filter((field) => !label(field))].map((element) => element.outerHTML),
    imagesWithoutText: all('img').filter((image) => !image.hasAttribute('alt')).length,
    scripts: document.scripts.length,
    pale: withText.filter((element) => contrast(element) < 4.5).map((element) => element.outerHTML.slice(0, 80)),
    small: all('button, a.button').filter((element) => element.getBoundingClientRect().height < 44).map((element) => element.outerHTML.slice(0, 80)),
    overflows: document.documentElement.scrollWidth > window.innerWidth,
  }
})()`

/**
 * Checks language, title, one heading, accessible names, contrast, size and absence of scripts, in light and dark,
 * wide and narrow.
 */
export async function assertUsable(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 320]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const found = await page.evaluate<Findings>(LOOK)
      const { title, ...rest } = found
      assert.ok(title.length > 3, `${what}: title`)
      assert.deepEqual(
        rest,
        {
          lang: 'en',
          headings: 1,
          viewport: true,
          unnamed: [],
          imagesWithoutText: 0,
          scripts: 0,
          pale: [],
          small: [],
          overflows: false,
        },
        `${what}, ${colorScheme}, ${width} wide`,
      )
    }
  }
}
