interface DemoCommand {
  shows: string
  path: string
}

/** Requests that show something for Ada, by service. */
const COMMANDS: Record<string, DemoCommand[]> = {
  'demo-social': [
    { shows: 'Her newest photos:', path: '/types/photos?limit=3&fields=at,oembed.title,oembed.url' },
    { shows: 'What mentions coffee, of her and her friends:', path: '/types/all_feed?q=coffee&limit=3' },
    { shows: 'Where she was around Lisbon:', path: '/types/all?near=38.7,-9.1&within=50&map=true&limit=3' },
    { shows: 'The service’s own API, with her token added:', path: '/proxy/demo-social/me' },
  ],
  'demo-micro': [
    { shows: 'Her newest statuses:', path: '/services/demo-micro/statuses?limit=3&fields=at,data.text' },
    { shows: 'Her timeline, searched:', path: '/types/statuses_feed?q=coffee&limit=3' },
  ],
  'demo-health': [
    { shows: 'Her newest workouts:', path: '/services/demo-health/activities?limit=3&map=true' },
    { shows: 'What her devices measured:', path: '/types/measures?limit=5&fields=at,data' },
  ],
}

export function commandsFor(service: string): DemoCommand[] {
  return COMMANDS[service] ?? []
}
