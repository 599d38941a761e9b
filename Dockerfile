# One image for the receiver, the workers and the command line; the command says which.
#
#   docker build --build-arg COMMIT="$(git rev-parse --short=12 HEAD)" --tag hookwork .
#
# The stage `binaries` holds nothing but the three programs, so they can be taken out of it
# (`--target binaries --output dist`), or handed in instead of being compiled (`--build-context binaries=dist`).

# From another registry, or made by yourself: any image with this Deno, and any with apt and glibc.
ARG DENO_IMAGE=denoland/deno:2.9.6
ARG BASE_IMAGE=debian:trixie-slim

FROM ${DENO_IMAGE} AS compile
WORKDIR /hookwork
COPY . .
# There is no git in here to ask.
ARG COMMIT=unknown
RUN deno task compile

FROM scratch AS binaries
COPY --from=compile /hookwork/dist/hookwork* /

FROM ${BASE_IMAGE}
# tini is process 1: the kernel spares process 1 its own SIGKILL, by which the watchdog ends a process that stands still.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates tini tzdata \
  && rm -rf /var/lib/apt/lists/*
# A volume that is mounted on these for the first time gets their owner.
RUN groupadd --gid 10001 hookwork \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/hookwork hookwork \
  && install --directory --owner hookwork --group hookwork --mode 0750 \
    /var/lib/hookwork /var/lib/hookwork/documents /var/lib/hookwork/backups
COPY --from=binaries hookwork hookwork-receiver hookwork-worker /usr/local/bin/

# The second lets V8 see the container's memory limit, not the machine's.
ENV HOST=0.0.0.0 PORT=8080 DENO_USE_CGROUPS=1
USER 10001:10001
WORKDIR /var/lib/hookwork
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["hookwork", "health"]
ENTRYPOINT ["tini", "--"]
CMD ["hookwork-receiver"]

ARG COMMIT=unknown
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Hookwork" \
  org.opencontainers.image.description="Webhooks in, jobs out, one Postgres" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${COMMIT}"
