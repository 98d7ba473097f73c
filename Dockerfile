# Tributary with a database of yours (DATABASE_URL); the embedded one is not in here. See docs/operating.md.
# The packages, the pages of the demo and the dashboard, and the bundle.
FROM node:24-slim AS built
WORKDIR /build
COPY package.json package-lock.json .npmrc LICENSE ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY scripts ./scripts
COPY sdk ./sdk
COPY web ./web
RUN node scripts/build-web.mjs
COPY lab ./lab
COPY src ./src
RUN node scripts/bundle/build.mjs bundle

FROM node:24-slim

ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8042 \
    TRIBUTARY_DATA=/data

WORKDIR /app

COPY package.json LICENSE NOTICE ./
COPY docs ./docs
COPY migrations ./migrations
COPY --from=built /build/node_modules ./node_modules
COPY --from=built /build/web/dist ./web/dist
COPY --from=built /build/bundle ./bundle

RUN install -d -o node -g node -m 700 /data
VOLUME /data
USER node
EXPOSE 8042

HEALTHCHECK --interval=15s --timeout=6s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["node", "bundle/main.js"]
CMD ["serve"]
