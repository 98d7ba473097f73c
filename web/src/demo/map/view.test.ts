import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { centreOf, clustersOf, nearOf, pan, RATIO, type View, WORLD, xOf, yOf, zoom } from './view.ts'

const isOnMap = ({ x, y, width }: View) =>
  x >= 0 && x + width <= 3600 && y >= WORLD.y && (y + width * RATIO <= 1500.001 || y === WORLD.y)

suite('the view of the map', () => {
  test('zooming keeps the point under the finger where it is', () => {
    const before = zoom(WORLD, 0.5, { x: xOf(13.4), y: yOf(52.5) })
    const at = { x: xOf(13.4), y: yOf(52.5) }
    const after = zoom(before, 0.5, at)
    const share = ({ x, y, width }: View) => [(at.x - x) / width, (at.y - y) / (width * RATIO)]
    for (const [index, value] of share(after).entries()) assert.ok(Math.abs(value - share(before)[index]!) < 1e-9)
    assert.equal(after.width, before.width / 2)
  })

  test('in and out again is the same view, in the middle of the map', () => {
    const middle = zoom(WORLD, 0.25)
    const there = zoom(zoom(middle, 0.5), 2)
    for (const key of ['x', 'y', 'width'] as const) assert.ok(Math.abs(there[key] - middle[key]) < 1e-9)
  })

  test('never leaves the map, and is neither wider than it nor a point', () => {
    for (const view of [
      pan(zoom(WORLD, 0.1), -9999, -9999),
      pan(zoom(WORLD, 0.1), 9999, 9999),
      zoom(WORLD, 100),
      zoom(zoom(WORLD, 0.1, { x: 3600, y: 1500 }), 3, { x: 0, y: 0 }),
    ])
      assert.ok(isOnMap(view), JSON.stringify(view))
    assert.equal(zoom(WORLD, 100).width, WORLD.width)
    const narrowest = zoom(WORLD, 1e-9)
    assert.equal(zoom(narrowest, 0.5).width, narrowest.width)
  })

  test('asks for the whole world where it is wide, else for a circle that covers the view', () => {
    assert.deepEqual(nearOf(WORLD), { near: '0,0', within: 20_038 })
    const view = { x: xOf(10), y: yOf(50), width: 100 }
    const { near, within } = nearOf(view)
    const { x, y } = centreOf(view)
    assert.equal(near, `${(90 - y / 10).toFixed(3)},${(x / 10 - 180).toFixed(3)}`)
    // Half of the diagonal, at the equator, where a degree is widest.
    assert.ok(within >= (Math.hypot(10, 4) / 2) * 111)
    assert.equal(nearOf({ x: 0, y: 500, width: 0.01 }).within, 1)
  })
})

suite('points that would overlap', () => {
  test('are one, in their middle, and none is lost', () => {
    const items = [
      { id: 'a', x: 1, y: 1 },
      { id: 'b', x: 3, y: 5 },
      { id: 'c', x: 11, y: 1 },
    ]
    const found = clustersOf(items, 10)
    assert.deepEqual(
      found.map(({ x, y, items: inside }) => [x, y, inside.map(({ id }) => id)]),
      [
        [2, 3, ['a', 'b']],
        [11, 1, ['c']],
      ],
    )
    assert.equal(new Set(found.map(({ key }) => key)).size, 2)
    assert.deepEqual(clustersOf([], 10), [])
  })
})
