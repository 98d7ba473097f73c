export type Place = readonly [lat: number, lng: number]

const EARTH_KM = 6371.0088

/** Kilometres on the sphere, by the angle between two points in space: exact at the poles, at 180 degrees and opposite. */
export function kilometres(a: Place, b: Place): number {
  const point = ([lat, lng]: Place) => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180]
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)] as const
  }
  const [p, q] = [point(a), point(b)]
  const cross = Math.hypot(p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
  return EARTH_KM * Math.atan2(cross, p[0] * q[0] + p[1] * q[1] + p[2] * q[2])
}
