export const CONTENT_HOST = 'https://content.dropboxapi.com'
export const NOTIFY_HOST = 'https://notify.dropboxapi.com'

/** Calls that are at the content host, as the documentation and the vendor's SDKs have them. */
const CONTENT = [
  'account/get_photo',
  'files/alpha/upload',
  'files/download',
  'files/download_zip',
  'files/export',
  'files/get_preview',
  'files/get_thumbnail',
  'files/get_thumbnail_batch',
  'files/get_thumbnail_v2',
  'files/upload',
  'files/upload_session/append',
  'files/upload_session/append_batch',
  'files/upload_session/append_v2',
  'files/upload_session/finish',
  'files/upload_session/start',
  'sharing/get_shared_link_file',
]

export const pathHosts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CONTENT.map((call) => [`/2/${call}`, CONTENT_HOST])),
  '/2/files/list_folder/longpoll': NOTIFY_HOST,
}
