/** Welch's t of two samples: the distance of their means in standard errors, for any variances. */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [spread(a), spread(b)]
  return (x.mean - y.mean) / Math.sqrt(x.variance / a.length + y.variance / b.length)
}

/** The lower share of a sample: the slowest times are caused by other load, not by the code. */
export function lowest(sample: readonly number[], share: number): number[] {
  return sample.toSorted((a, b) => a - b).slice(0, Math.ceil(sample.length * share))
}

export function mean(sample: readonly number[]): number {
  return sample.reduce((sum, value) => sum + value, 0) / sample.length
}

/** The slope of the least-squares line: by how much y grows per unit of x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const [x, y] = [mean(points.map((point) => point[0])), mean(points.map((point) => point[1]))]
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return above / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

function spread(sample: readonly number[]): { mean: number; variance: number } {
  const middle = mean(sample)
  const squares = sample.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  return { mean: middle, variance: squares / (sample.length - 1) }
}
