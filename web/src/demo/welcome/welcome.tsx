import type { Session } from '../demo-server.ts'
import { ServiceMark } from '../service-mark.tsx'
import './welcome.css'

/** The first view: what this is, one button, and the three services for those who want to sign in themselves. */
export function Welcome({ session, failure }: { session: Session; failure: string | undefined }) {
  return (
    <main className="welcome">
      <section className="welcome-hero">
        <h1>Everything a person has in many services, in one API.</h1>
        <p className="welcome-lead">
          Connect Ada’s three accounts and see her posts, photos, places, people and heart rate arrive, with the request
          behind each of them.
        </p>
        {failure !== undefined && (
          <div className="notice bad" role="alert">
            <p>{failure}</p>
          </div>
        )}
        <form method="post" action="/demo/start">
          <button type="submit" className="welcome-start">
            Show me
          </button>
        </form>
        <p className="soft">One click. The services are simulated and run on this server; nothing leaves it.</p>
      </section>
      <section aria-labelledby="by-hand">
        <h2 id="by-hand">Or connect one by hand</h2>
        <p className="soft">With its real login and consent pages, as your users will see them.</p>
        <ul className="welcome-services">
          {session.services.map(({ service, title, summary }) => (
            <li key={service} className="welcome-service">
              <ServiceMark service={service} />
              <div>
                <h3>{title}</h3>
                <p className="soft">{summary}</p>
              </div>
              <a className="button quiet" href={`/demo/connect?service=${encodeURIComponent(service)}`}>
                Connect<span className="hidden-text"> {title}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </main>
  )
}
