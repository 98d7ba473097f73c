import { places } from '../../data/vocabulary.ts'
import { placeId } from './ids.ts'

const countries: Record<string, [code: string, name: string]> = {
  Lisbon: ['PT', 'Portugal'],
  Nairobi: ['KE', 'Kenya'],
  Montréal: ['CA', 'Canada'],
  İzmir: ['TR', 'Türkiye'],
  Waiyevo: ['FJ', 'Fiji'],
  Oslo: ['NO', 'Norway'],
  東京: ['JP', '日本'],
}

const within = (value: number, most: number): number => Math.max(-most, Math.min(most, Number(value.toFixed(6))))

/** The bounding box of the place, clipped at the 180° meridian. */
const known = new Map(
  places.map(({ name, city, lat, lng }) => {
    const [code, country] = countries[city] ?? ['AQ', 'Antarctica']
    const half = 0.01
    const box = [within(lng - half, 180), within(lat - half, 90), within(lng + half, 180), within(lat + half, 90)]
    const id = placeId(name)
    return [
      id,
      {
        full_name: `${name}, ${city}`,
        id,
        name,
        country,
        country_code: code,
        place_type: 'poi',
        contained_within: [placeId(city)],
        geo: { type: 'Feature', bbox: box, properties: {} },
      },
    ]
  }),
)

export const placeOf = (id: string) => known.get(id)
