import type { ServiceMark } from '#kit/connector/registry.ts'
import { contrastOf, readColor } from '#model/apps/contrast.ts'

const WHITE = [255, 255, 255] as const
/** What large graphics need (WCAG 2.2, 1.4.11); on a paler colour the mark is black. */
const READABLE_CONTRAST = 3
/** Colours of tiles with a letter, which is readable on each. */
const COLORS = ['#1d5fb8', '#8a3ab9', '#0b7a5b', '#b3402a', '#5b5bd6', '#a02c6d', '#3d6b1f', '#146a83']

/** The picture of a service: its mark, or the first letter of its title on a colour that depends on its name. */
export function markPicture(service: string, title: string, mark: ServiceMark | undefined): string {
  return mark === undefined ? letterPicture(service, title) : pictureOf(mark)
}

function pictureOf({ color, path }: ServiceMark): string {
  const rgb = readColor(color) ?? [0, 0, 0]
  const fill = contrastOf(rgb, WHITE) < READABLE_CONTRAST ? '#000' : '#fff'
  return tile(color, `<path transform="translate(8 8)" fill="${fill}" d="${path}"/>`)
}

function letterPicture(service: string, title: string): string {
  const sum = Buffer.from(service).reduce((total, byte) => total + byte, 0)
  // Otherwise all demo services would have the same letter.
  const [first = ''] = title.trim().replace(/^Demo (?=\S)/, '')
  // A numeric reference, so that no letter is markup.
  const letter = `&#${first.toUpperCase().codePointAt(0) ?? 63};`
  const style = 'font:700 18px system-ui,-apple-system,&quot;Segoe UI&quot;,sans-serif'
  return tile(
    COLORS[sum % COLORS.length] ?? '',
    `<text x="20" y="26.3" text-anchor="middle" fill="#fff" style="${style}">${letter}</text>`,
  )
}

function tile(color: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 40 40"><rect width="40" height="40" fill="${color}"/>${content}</svg>`
}
