/** Red, green and blue from 0 to 255. */
type Rgb = readonly [number, number, number]

/** The surfaces on which a colour is shown as text, and whose colour is the text on it: pages in light and in dark. */
const SURFACES = {
  light: { against: [244, 246, 248], toward: [0, 0, 0] },
  dark: { against: [24, 33, 43], toward: [255, 255, 255] },
} as const satisfies Record<string, { against: Rgb; toward: Rgb }>

/** Limit: the least contrast of text (WCAG 2.2, 1.4.3), and a little more because of rounding; a paler colour is corrected. */
const MIN_CONTRAST = 4.55
const STEPS = 100

/** The colour as it is shown, by colour scheme: mixed with black or white until text in it is readable. */
export function readableColors(color: string): { light: string; dark: string } {
  const rgb = readColor(color) ?? [0, 0, 0]
  return { light: readable(rgb, SURFACES.light), dark: readable(rgb, SURFACES.dark) }
}

/** `#rrggbb`; undefined for any other text. */
export function readColor(text: string): Rgb | undefined {
  const digits = /^#([0-9a-f]{6})$/i.exec(text)?.[1]
  if (digits === undefined) return undefined
  const value = Number.parseInt(digits, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function readable(rgb: Rgb, { against, toward }: { against: Rgb; toward: Rgb }): string {
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = mix(rgb, toward, step / STEPS)
    if (contrastOf(mixed, against) >= MIN_CONTRAST) return hexOf(mixed)
  }
  return hexOf(toward)
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const channel = (i: 0 | 1 | 2) => Math.round(one[i] + (other[i] - one[i]) * share)
  return [channel(0), channel(1), channel(2)]
}

function luminanceOf(rgb: Rgb): number {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function hexOf(rgb: Rgb): string {
  return `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
