/** Welch's t of two samples: how many standard errors their means are apart, whatever their spreads. */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [spread(a), spread(b)]
  return (x.mean - y.mean) / Math.sqrt(x.variance / a.length + y.variance / b.length)
}

/** The lower share of a sample: what the machine did meanwhile makes the slowest times, not the work. */
export function lowest(sample: readonly number[], share: number): number[] {
  return sample.toSorted((a, b) => a - b).slice(0, Math.ceil(sample.length * share))
}

export function mean(sample: readonly number[]): number {
  return sample.reduce((sum, value) => sum + value, 0) / sample.length
}

/** By how much y grows for each unit of x: the line with the least squares. */
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
