# plat in a container: the command, a Chrome that keeps its sandbox, and fonts.
#
#   docker build -t plat .
#   docker run --rm --security-opt seccomp=deploy/seccomp.json --cap-drop ALL \
#     -v plat:/data plat archive https://example.com/
#
# What the flags are for: docs/docker.md.
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath -ldflags='-s -w' -o /out/plat ./cmd/plat

FROM ${BASE_IMAGE}

# URLs of one day of Debian's archive, and of that of its security updates, make an
# image that can be built again to the byte of every package. Without, packages come
# from where the base image has them: the newest Chrome there is, which is what a
# crawler of untrusted pages wants.
ARG ARCHIVE
ARG SECURITY_ARCHIVE

# Fonts are pinned whatever the day: another edition of a font is another size of
# every block of text. Liberation has the metrics of Arial, Times and Courier,
# Noto all other scripts. Chrome's package depends on tools for desktops, and they
# on Mesa with LLVM: not unpacked, a fifth of the image. Headless shell draws
# without.
RUN set -eu; \
    export DEBIAN_FRONTEND=noninteractive; \
    if [ -n "${ARCHIVE:-}" ]; then \
        for a in "$ARCHIVE bookworm" ${SECURITY_ARCHIVE:+"$SECURITY_ARCHIVE bookworm-security"}; do \
            printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nCheck-Valid-Until: no\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n' "${a% *}" "${a#* }"; \
        done >/etc/apt/sources.list.d/debian.sources; \
        rm -f /etc/apt/sources.list; \
    fi; \
    printf 'path-exclude %s\n' '/usr/lib/*/libLLVM*' '/usr/lib/*/libz3.so*' '/usr/lib/*/dri/*' '/usr/lib/chromium/libVkLayer_*' \
        '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/icons/*' >/etc/dpkg/dpkg.cfg.d/plat; \
    apt-get update; \
    apt-get install -y --no-install-recommends \
        ca-certificates chromium-headless-shell fontconfig tini \
        fonts-liberation=1:1.07.4-11 \
        fonts-noto-cjk=1:20220127+repack1-1 \
        fonts-noto-color-emoji=2.042-0+deb12u1 \
        fonts-noto-core=20201225-1; \
    rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*; \
    fc-cache -f; \
    groupadd --gid 10001 plat; \
    useradd --uid 10001 --gid 10001 --home-dir /tmp --no-create-home --shell /usr/sbin/nologin plat; \
    install -d -o plat -g plat /data; \
    find / -xdev -type f -perm /6000 -exec chmod a-s {} + # nothing here gains rights

COPY --from=build /out/plat /usr/local/bin/plat
COPY deploy/seccomp.json /usr/share/plat/seccomp.json

LABEL org.opencontainers.image.title="plat" \
      org.opencontainers.image.description="A crawler that archives the blocks of web pages, version by version" \
      org.opencontainers.image.base.name="debian:bookworm-slim"

USER 10001:10001
WORKDIR /data
ENV HOME=/tmp LANG=C.UTF-8 TZ=UTC
EXPOSE 9090
# A command that serves nothing, as plat archive, has no health but its exit code.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD [ -z "${PLAT_LISTEN:-}" ] || plat health
# Chrome leaves children behind when it is killed; somebody has to reap them.
ENTRYPOINT ["tini", "--", "plat"]
CMD ["--help"]
