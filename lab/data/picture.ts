import { seededRandom } from '../base/random.ts'
import { json, type Reply } from '../base/reply.ts'

interface Scene {
  /** In degrees, of the main colour. */
  hue: number
  random: () => number
}

/** Renders a picture from its name `<width>x<height>-<hue>.svg`: a landscape, the same in every size. Squares of 200 are portraits. */
export function drawPicture(name: string): Reply {
  const match = /^(\d{1,4})x(\d{1,4})-(\d{1,3})\.svg$/.exec(name)
  if (!match) return json(404, { error: 'not_found' })
  const [width, height, hue] = match.slice(1).map(Number) as [number, number, number]
  const random = seededRandom(hue)
  const scene = { hue, random: () => random.float() }
  const isPortrait = width === 200 && height === 200
  const [[from, range], draw] = landscapes[hue % landscapes.length]!
  // The colours that such a place has.
  const drawn = isPortrait ? portrait(scene) : draw({ ...scene, hue: from + ((hue * 7) % range) })
  const size = `width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="xMidYMid slice"`
  const body = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${drawn}</svg>`
  return { status: 200, headers: { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' }, body }
}

const color = (hue: number, saturation: number, lightness: number) =>
  `hsl(${Math.round(hue) % 360} ${saturation}% ${Math.round(lightness)}%)`

function sky(top: string, bottom: string): string {
  return `<linearGradient id="s" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient><rect width="100" height="100" fill="url(#s)"/>`
}

const disc = (x: number, y: number, r: number, fill: string, opacity = 1) =>
  `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r.toFixed(1)}" fill="${fill}" opacity="${opacity}"/>`

/** A line of hills from edge to edge; `rough` ones are mountains. */
function ridge({ random }: Scene, base: number, rise: number, fill: string, rough = false): string {
  const steps = rough ? 9 : 4
  const points = Array.from({ length: steps + 1 }, (_, at) => [(at * 100) / steps, base - random() * rise] as const)
  const [first, ...rest] = points
  const line = rough
    ? rest.map(([x, y]) => `L${x.toFixed(1)} ${y.toFixed(1)}`).join('')
    : rest
        .map(([x, y], at) => {
          const [px, py] = points[at]!
          const middle = ((px + x) / 2).toFixed(1)
          return `C${middle} ${py.toFixed(1)} ${middle} ${y.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)}`
        })
        .join('')
  return `<path d="M0 100V${first![1].toFixed(1)}${line}V100z" fill="${fill}"/>`
}

/** The range of hues, and how it is drawn. */
const landscapes: [[number, number], (scene: Scene) => string][] = [
  // Mountains in the evening.
  [
    [205, 150],
    (scene) =>
      sky(color(scene.hue, 60, 42), color(scene.hue + 50, 85, 76)) +
      disc(25 + scene.random() * 50, 42, 9, color(scene.hue + 60, 95, 90)) +
      ridge(scene, 68, 30, color(scene.hue + 10, 35, 48), true) +
      ridge(scene, 84, 22, color(scene.hue, 40, 30), true) +
      ridge(scene, 96, 12, color(scene.hue, 45, 16)),
  ],
  // The sea, with a boat.
  [
    [20, 45],
    (scene) => {
      const x = 25 + scene.random() * 45
      return (
        sky(color(scene.hue, 55, 78), color(scene.hue + 40, 80, 92)) +
        disc(x + 18, 34, 8, color(45, 95, 72)) +
        `<rect y="58" width="100" height="42" fill="${color(scene.hue + 190, 45, 42)}"/>` +
        [63, 71, 81, 92]
          .map(
            (y) =>
              `<rect x="${(scene.random() * 60).toFixed(0)}" y="${y}" width="${20 + y / 4}" height="1.2" rx=".6" fill="#fff" opacity=".35"/>`,
          )
          .join('') +
        `<path d="M${x} 64h16l-3 5h-10z" fill="${color(scene.hue + 20, 60, 28)}"/><path d="M${x + 8} 42v20h-7zM${x + 9} 46v16h6z" fill="#fff"/>`
      )
    },
  ],
  // A city at night.
  [
    [215, 70],
    (scene) => {
      const houses = Array.from({ length: 9 }, (_, at) => {
        const [x, top] = [at * 11.5 - 2, 38 + scene.random() * 34]
        const windows = Array.from({ length: 10 }, (__, slot) =>
          scene.random() < 0.55
            ? `<rect x="${(x + 2.2 + (slot % 2) * 4).toFixed(1)}" y="${(top + 4 + Math.floor(slot / 2) * 7).toFixed(1)}" width="2" height="3" fill="${color(scene.hue + 180, 90, 78)}"/>`
            : '',
        )
        return `<rect x="${x.toFixed(1)}" y="${top.toFixed(1)}" width="10.5" height="70" fill="${color(scene.hue, 35, 14 + scene.random() * 10)}"/>${windows.join('')}`
      })
      return (
        sky(color(scene.hue, 55, 22), color(scene.hue + 60, 70, 58)) + disc(72, 22, 7, '#fff', 0.9) + houses.join('')
      )
    },
  ],
  // A forest in fog.
  [
    [15, 50],
    (scene) => {
      const trees = (count: number, base: number, size: number, fill: string) =>
        Array.from({ length: count }, (_, at) => {
          const x = (at * 100) / count + scene.random() * 6
          const top = base - size * (0.7 + scene.random() * 0.6)
          return `<path d="M${x.toFixed(1)} ${top.toFixed(1)}l${(size / 4).toFixed(1)} ${(base + 8 - top).toFixed(1)}h-${(size / 2).toFixed(1)}z" fill="${fill}"/>`
        }).join('') + `<rect y="${base}" width="100" height="${100 - base}" fill="${fill}"/>`
      return (
        sky(color(scene.hue + 20, 45, 84), color(scene.hue, 40, 94)) +
        trees(12, 66, 26, color(scene.hue + 100, 22, 66)) +
        trees(9, 80, 32, color(scene.hue + 100, 30, 46)) +
        trees(7, 94, 38, color(scene.hue + 100, 38, 24))
      )
    },
  ],
  // Dunes under a large sun.
  [
    [12, 34],
    (scene) =>
      sky(color(scene.hue + 180, 45, 82), color(scene.hue + 20, 90, 84)) +
      disc(30 + scene.random() * 40, 44, 16, color(scene.hue + 15, 90, 66)) +
      ridge(scene, 66, 14, color(scene.hue + 10, 60, 62)) +
      ridge(scene, 80, 16, color(scene.hue + 5, 58, 50)) +
      ridge(scene, 94, 16, color(scene.hue, 55, 34)),
  ],
  // A table with a cup and fruit.
  [
    [0, 360],
    (scene) =>
      `<rect width="100" height="100" fill="${color(scene.hue, 40, 86)}"/><rect y="62" width="100" height="38" fill="${color(scene.hue + 25, 45, 58)}"/>` +
      `<path d="M24 44h30v18a10 10 0 0 1-10 10h-10a10 10 0 0 1-10-10z" fill="#fff"/><path d="M54 48h5a6 6 0 0 1 0 14h-5" fill="none" stroke="#fff" stroke-width="3"/><ellipse cx="39" cy="45" rx="14" ry="3" fill="${color(20, 55, 26)}"/><path d="M34 36q-4-5 0-9t0-9M44 36q-4-5 0-9t0-9" fill="none" stroke="#fff" stroke-width="1.6" opacity=".8"/>` +
      disc(70, 68, 8, color(scene.hue + 150, 65, 52)) +
      disc(82, 72, 7, color(scene.hue + 110, 70, 50)) +
      disc(67, 65, 2, '#fff', 0.5),
  ],
]

/** A head, hair and shoulders. */
function portrait({ hue, random }: Scene): string {
  const skin = color(24 + random() * 12, 45, 40 + random() * 42)
  const hair = color(15 + random() * 30, 35, 12 + random() * 38)
  const isLong = random() < 0.5
  return (
    sky(color(hue, 55, 62), color(hue + 40, 70, 82)) +
    (isLong ? `<path d="M28 40a22 22 0 0 1 44 0v32H28z" fill="${hair}"/>` : '') +
    `<path d="M14 100c0-22 16-30 36-30s36 8 36 30z" fill="${color(hue + 180, 45, 42)}"/><rect x="43" y="56" width="14" height="18" rx="7" fill="${skin}"/>` +
    disc(50, 44, 18, skin) +
    `<path d="M31 42a19 19 0 0 1 38 0q-8-10-19-10t-19 10z" fill="${hair}"/>`
  )
}
