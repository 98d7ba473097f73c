import { Counter, Gauge, type Registry } from 'prom-client'
import type { Counters, KindCounters } from '#flows/push/delivery-counters.ts'
import type { pushHealth } from '#flows/push/manage/status.ts'

type PushHealth = Awaited<ReturnType<typeof pushHealth>>

/** Returns a function that updates the metrics of destinations and deliveries; without `health` those of destinations keep their values. */
export function pushMetrics(
  registry: Registry,
): (health: PushHealth | undefined, pushCounters: KindCounters[]) => void {
  const registers = [registry]
  const gauge = (name: string, help: string, labelNames = ['kind']) =>
    new Gauge({ name: `tributary_push_${name}`, help, labelNames, registers })
  const destinations = gauge('destinations', 'Destinations, by kind and state.', ['kind', 'state'])
  const lagChanges = gauge('lag_changes', 'Undelivered changes, by kind of destination.')
  const lagSeconds = gauge('lag_seconds', 'Age of the oldest undelivered change, by kind of destination.')
  const deadLetters = gauge('dead_letters', 'Rows that destinations of a kind rejected.')
  const counter = (name: string, help: string) =>
    new Counter({
      name: `tributary_push_${name}_total`,
      help: `${help}, by this process and its workers since it started.`,
      labelNames: ['kind'],
      registers,
    })
  const counters: [Counter, (counters: Counters) => number][] = [
    [counter('rows', 'Rows delivered'), ({ rows }) => rows],
    [counter('batches', 'Batches delivered'), ({ batches }) => batches],
    [counter('failures', 'Deliveries that failed'), ({ failures }) => failures],
    [counter('dead_lettered', 'Rows that became dead letters'), ({ deadLetters: rows }) => rows],
  ]
  return (health, pushCounters) => {
    for (const [each, read] of counters) {
      each.reset()
      for (const [kind, counters] of pushCounters) each.inc({ kind }, read(counters))
    }
    if (health === undefined) return
    for (const each of [destinations, lagChanges, lagSeconds, deadLetters]) each.reset()
    for (const { kind, state, n } of health.destinations) destinations.set({ kind, state }, n)
    for (const { kind, changes, seconds } of health.lag) {
      lagChanges.set({ kind }, changes)
      lagSeconds.set({ kind }, seconds)
    }
    for (const { kind, n } of health.deadLetters) deadLetters.set({ kind }, n)
  }
}
