import { wordpress } from '#connectors/wordpress/connector.ts'
import { finishSignIn } from '#upstream/sign-in.ts'
import { beginAppPassword } from '#upstream/typed/app-password.ts'
import { openUpstream } from '../harness/upstream.ts'
import { type RunningWordpress, startWordpress } from '../real/wordpress.ts'
import { CALLBACK } from '../upstream/fixture.ts'
import type { Fixture } from './fixture.ts'

const KEY = { key: '', secret: '', overrides: {} }

/** A real site, and its administrator with records of every kind. */
export async function openWordpressFixture(): Promise<Fixture> {
  const opened = openUpstream()
  const { upstream } = opened
  let site: RunningWordpress | undefined
  const close = async () => {
    await opened.close()
    await site?.close()
  }
  try {
    site = await startWordpress()
    furnish(site)
    const { auth } = wordpress
    if (auth.kind !== 'app_password') throw new Error('the sign-in of WordPress has changed')
    const values = { site: site.url }
    const callbackUrl = `${CALLBACK}?state=st`
    const authorizeUrl = await beginAppPassword(upstream, {
      connector: wordpress,
      auth,
      key: KEY,
      values,
      callbackUrl,
      appName: 'Tests',
    })
    const back = new URL(await site.authorize(authorizeUrl, { name: 'ada', password: 'ada-password' }, CALLBACK))
    const secrets = { service: 'wordpress', values }
    const finished = { connector: wordpress, key: KEY, callbackUrl: CALLBACK, secrets, params: back.searchParams }
    const { credential, self } = await finishSignIn(upstream, finished)
    const caller = { upstream, connector: wordpress, key: KEY, credential }
    return { caller, self, authorizeUrl, nowMs: () => upstream.clock.now(), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** More posts than fit on a page, in every status, with a picture, and comments of the person and of others. */
export function furnish({ run }: Pick<RunningWordpress, 'run'>): void {
  run(
    `
    require_once ABSPATH . 'wp-admin/includes/image.php';
    $file = wp_upload_bits('door.png', null, base64_decode($input));
    $media = wp_insert_attachment(['post_title' => 'A door', 'post_mime_type' => 'image/png', 'post_author' => 1], $file['file']);
    wp_update_attachment_metadata($media, ['width' => 1, 'height' => 1, 'file' => 'door.png']);
    for ($i = 0; $i < 130; $i++)
      wp_insert_post(['post_title' => "Post $i", 'post_content' => "<p>Words &amp; a <a href=\\"https://a.test/?$i\\">link</a></p>",
        'post_status' => ['publish', 'draft', 'private', 'pending'][$i % 4], 'post_author' => 1]);
    $post = wp_insert_post(['post_title' => 'With a picture', 'post_content' => 'Look', 'post_status' => 'publish', 'post_author' => 1]);
    set_post_thumbnail($post, $media);
    wp_insert_post(['post_title' => 'Another page', 'post_content' => 'About', 'post_status' => 'publish', 'post_type' => 'page', 'post_author' => 1]);
    wp_insert_comment(['comment_post_ID' => $post, 'comment_content' => 'My own', 'user_id' => 1, 'comment_author' => 'ada', 'comment_approved' => 1]);
    return true;`,
    PICTURE,
  )
}

// One black pixel.
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
