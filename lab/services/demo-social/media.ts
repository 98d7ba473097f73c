import { json, type Reply } from '../../base/reply.ts'

/** Renders a picture from its name `<width>x<height>-<hue>.svg`: two colours and a sun. */
export function drawPicture(name: string): Reply {
  const match = /^(\d{1,4})x(\d{1,4})-(\d{1,3})\.svg$/.exec(name)
  if (!match) return json(404, { error: 'not_found' })
  const [width, height, hue] = match.slice(1).map(Number) as [number, number, number]
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="hsl(${hue} 60% 70%)"/><circle cx="70%" cy="30%" r="12%" fill="hsl(${(hue + 40) % 360} 80% 85%)"/><rect y="60%" width="100%" height="40%" fill="hsl(${hue} 45% 40%)"/></svg>`
  return { status: 200, headers: { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' }, body }
}
