const AT = 1_790_000_000_000
const ITEM_ID = '9a2f4c1be0d84f6a8c35d7e91b20f6a4_cf5e3670d'
const IDR = 'photo:ada@demo-social/photos#1042'

const photoCard = {
  type: 'photo',
  title: 'Harbour in the morning',
  url: 'https://social.example/photos/1042.jpg',
  thumbnail_url: 'https://social.example/photos/1042-small.jpg',
  provider_name: 'Demo Social',
  author_name: 'Ada Moreno',
  lat: 53.5436,
  lng: 9.9661,
}

const photo = {
  id: ITEM_ID,
  idr: IDR,
  at: AT,
  updated: AT,
  data: { id: 1042, caption: 'Harbour in the morning' },
  types: { photo: true },
  oembed: photoCard,
}

/** Examples of named schemas that cannot be built from the names of their fields. */
export const EXAMPLE_ITEMS: Record<string, unknown> = {
  Item: photo,
  PhotoItem: photo,
  Card: photoCard,
  Profiles: { id: 'acc_0j8v5t2r9x4m7c1kq3', 'demo-social': ['ada'] },
  SyncProgress: {
    photos: { state: 'done', progress: 1, items: 120, last_run: AT, next_run: AT + 900_000 },
    statuses: { state: 'running', progress: 0.38, items: 240, pages: 6, next_run: AT },
  },
  Change: { change: 'upsert', item: photo },
  ItemCounts: { photos: 120, statuses: 240 },
  Spending: {},
}

/** Examples of bodies that cannot be built from the names of their fields, by operation. */
export const EXAMPLE_BODIES: Record<string, unknown> = {
  addDestination: {
    name: 'warehouse',
    kind: 'postgres',
    url: 'postgres://tributary:password@db.example/warehouse',
    filter: ['/types/photos'],
    schedule: 'on_change',
  },
  updateDestination: { schedule: 'every 15m' },
  verifyDestination: { repair: true },
  replayDestination: { since: AT },
  createApp: { name: 'Photo Book', redirect_uris: ['https://app.example/callback'] },
  updateApp: { name: 'Photo Book' },
  rotateAppSecret: { overlap_seconds: 86_400 },
  setSyncRules: { off: ['social'], pace: { 'demo-social/photos': '15m' } },
  setQuotas: {},
  setServiceKey: { key: 'key-of-the-app', secret: 'secret-of-the-key' },
  updateSpending: { endpoints: { 'x/tweets': true }, limits: { x: '25.00' } },
  updateSpendingOfApp: { endpoints: { 'x/tweets': true }, limits: { x: '25.00' } },
  storeOwnItems: [{ id: 'note-1', at: AT, type: 'statuses', text: 'Remember the harbour.' }],
  applyBatch: { accounts: [{ id: 'person-1', 'demo-social': { token: 'token-of-the-service' } }] },
  exchangeCode: {
    client_id: 'app_7k1q9j3t6r5n2c8v0m',
    client_secret: 'trs_2r9x4m7c1kq30j8v5t',
    code: 'trc_9x4m7c1kq30j8v5t2r',
  },
  revokeToken: { token: 'trt_5n2c8v0m4x7k1q9j3t6r' },
  applyToken: {
    client_id: 'app_7k1q9j3t6r5n2c8v0m',
    client_secret: 'trs_2r9x4m7c1kq30j8v5t',
    token: 'token-of-the-service',
  },
  mergeAccounts: { source: 'trt_9j3t6r5n2c8v0m4x7k1q', dest: 'trt_5n2c8v0m4x7k1q9j3t6r' },
  joinPeople: { people: ['contact:771@demo-social/friends#772', 'contact:42@demo-micro/following#43'] },
  requestSync: {},
  createReconnectLink: { redirect_uri: 'https://app.example/callback' },
  createProxyToken: { service: 'demo-social', methods: ['GET'], label: 'for the SDK' },
  createProxyTokenOfAccount: { service: 'demo-social', methods: ['GET'], label: 'for the SDK' },
  createReconnectLinkOfAccount: { redirect_uri: 'https://app.example/callback' },
}

/** Typical values of parameters and fields, by their name. */
export const EXAMPLE_VALUES: Record<string, unknown> = {
  access_token: 'trt_5n2c8v0m4x7k1q9j3t6r',
  account: 'acc_0j8v5t2r9x4m7c1kq3',
  apply: 'proven',
  at: AT,
  client_id: 'app_7k1q9j3t6r5n2c8v0m',
  client_secret: 'trs_2r9x4m7c1kq30j8v5t',
  code: 'trc_9x4m7c1kq30j8v5t2r',
  connected_at: AT,
  created_at: AT,
  cursor: 'now',
  deleted: 'acc_0j8v5t2r9x4m7c1kq3',
  document: 'demo-bluesky.json',
  endpoint: 'photos',
  expires_at: AT,
  filter: ['/types/photos'],
  handle: 'ada',
  id: ITEM_ID,
  idr: IDR,
  key: 'key-of-the-app',
  kind: 'postgres',
  ms: 41,
  name: 'Ada Moreno',
  next_run: AT,
  path: 'me/photos',
  profile: 'ada@demo-social',
  redirect_uri: 'https://app.example/callback',
  redirect_uris: ['https://app.example/callback'],
  resets_at: AT,
  schedule: 'on_change',
  secret: 'secret-of-the-key',
  service: 'demo-social',
  started_at: AT,
  state: 'active',
  thumbnail_url: 'https://social.example/ada.jpg',
  title: 'Harbour in the morning',
  token: 'token-of-the-service',
  type: 'photos',
  updated: AT,
  updated_at: AT,
  url: 'https://social.example/ada',
  version: '0.1.0',
}
