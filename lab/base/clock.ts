/** A clock that tests can move. It advances with real time unless frozen. */
export interface LabClock {
  now(): number
  advance(ms: number): void
  set(epochMs: number): void
}

export function movableClock(options: { startMs?: number; frozen?: boolean } = {}): LabClock {
  const baseMs = () => (options.frozen ? 0 : Date.now())
  let offset = (options.startMs ?? Date.now()) - baseMs()
  return {
    now: () => baseMs() + offset,
    advance(ms) {
      offset += ms
    },
    set(epochMs) {
      offset = epochMs - baseMs()
    },
  }
}

/** A service's own view of the time: the lab's clock plus this service's skew. */
export interface ServiceClock {
  now(): number
  skewMs: number
}

export function serviceClock(clock: LabClock): ServiceClock {
  return {
    skewMs: 0,
    now() {
      return clock.now() + this.skewMs
    },
  }
}
