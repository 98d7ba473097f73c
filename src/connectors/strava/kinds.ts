import { kind, type Place, timeOf } from '#kit/read/kind.ts'

/** Latitude and longitude; an empty list where there is none. */
type Point = number[] | null

export interface Activity {
  id: number | bigint
  name?: string
  /** The preferred field; `type` is deprecated and less exact. */
  sport_type?: string
  type?: string
  /** UTC. Midnight and one second where the person hides it. */
  start_date?: string
  elapsed_time?: number
  moving_time?: number
  distance?: number
  average_heartrate?: number
  start_latlng?: Point
  end_latlng?: Point
  athlete?: { id: number | bigint }
  kudos_count?: number
  comment_count?: number
}

export interface Route {
  /** Beyond the precision of doubles; `id_str` is the same. */
  id: number | bigint
  id_str?: string
  name?: string
  description?: string | null
  distance?: number
  created_at?: string
  athlete?: { id: number | bigint }
}

export interface Club {
  id: number | bigint
  name?: string
  url?: string
  profile_medium?: string
  city?: string | null
  country?: string | null
  member_count?: number
}

export interface Segment {
  id: number | bigint
  name?: string
  activity_type?: string
  distance?: number
  starred_date?: string
  start_latlng?: Point
  city?: string | null
}

const SITE = 'https://www.strava.com'

export const activity = kind<Activity>({
  name: 'activity',
  id: ({ id }) => id,
  at: ({ start_date }) => timeOf(start_date),
  participants: ({ athlete }) => ({ author: athlete?.id }),
  place: ({ start_latlng, end_latlng }) => placeOf(start_latlng) ?? placeOf(end_latlng),
  map: {
    name: ({ name }) => name,
    url: ({ id }) => `${SITE}/activities/${id}`,
    sport: ({ sport_type, type }) => sport_type ?? type,
    seconds: ({ moving_time, elapsed_time }) => moving_time ?? elapsed_time,
    meters: ({ distance }) => distance,
    heart_rate: ({ average_heartrate }) => average_heartrate,
    starts: ({ start_date }) => timeOf(start_date),
    ends: ({ start_date, elapsed_time }) => {
      const startMs = timeOf(start_date)
      return startMs === undefined || elapsed_time === undefined ? undefined : startMs + elapsed_time * 1000
    },
    counts: ({ kudos_count, comment_count }) => ({
      ...(kudos_count === undefined ? {} : { likes: kudos_count }),
      ...(comment_count === undefined ? {} : { comments: comment_count }),
    }),
  },
})

export const route = kind<Route>({
  name: 'route',
  id: ({ id_str, id }) => id_str ?? id,
  at: ({ created_at }) => timeOf(created_at),
  participants: ({ athlete }) => ({ author: athlete?.id }),
  map: {
    name: ({ name }) => name,
    text: ({ description }) => description,
    url: ({ id_str, id }) => `${SITE}/routes/${id_str ?? id}`,
    meters: ({ distance }) => distance,
  },
})

export const club = kind<Club>({
  name: 'club',
  id: ({ id }) => id,
  map: {
    name: ({ name }) => name,
    url: ({ url, id }) => `${SITE}/clubs/${url === undefined || url === '' ? id : encodeURIComponent(url)}`,
    photo: ({ profile_medium }) => profile_medium,
    place: ({ city, country }) => [city, country].filter((part) => part).join(', '),
  },
})

export const segment = kind<Segment>({
  name: 'segment',
  id: ({ id }) => id,
  at: ({ starred_date }) => timeOf(starred_date),
  place: ({ start_latlng }) => placeOf(start_latlng),
  map: {
    name: ({ name }) => name,
    url: ({ id }) => `${SITE}/segments/${id}`,
    sport: ({ activity_type }) => activity_type,
    meters: ({ distance }) => distance,
    place: ({ city }) => city,
  },
})

function placeOf(point: Point | undefined): Place | undefined {
  const [lat, lng] = point ?? []
  return lat === undefined || lng === undefined ? undefined : { lat, lng }
}
