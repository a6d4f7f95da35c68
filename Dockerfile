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
# The commit, for plat version and plat_build_info. By default it is that of .git/HEAD,
# as the context contains no more of the repository than names of commits.
ARG REVISION
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    head=$(cat .git/HEAD 2>/dev/null || true); ref=${head#ref: }; \
    [ "$ref" = "$head" ] || head=$(cat ".git/$ref" 2>/dev/null || sed -n "s|^\([0-9a-f]*\) $ref\$|\1|p" .git/packed-refs); \
    CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath \
        -ldflags="-s -w -X plat/cmd/plat/app.revision=${REVISION:-$head}" -o /out/plat ./cmd/plat

# The image's root is gathered in a folder: the packages that Chrome and plat need,
# without the files that neither opens. Nothing is installed and then removed, so no
# layer contains more than the image shows. There is no package manager, Perl or login
# for a page that breaks out of Chrome.
FROM ${BASE_IMAGE} AS root

# URLs of one day of Debian's archive, and of that of its security updates, make an
# image that can be built again to the byte of every package. Without, packages come
# from where the base image has them: the newest Chrome there is, which is what a
# crawler of untrusted pages wants.
ARG ARCHIVE
ARG SECURITY_ARCHIVE
RUN set -eu; \
    if [ -n "${ARCHIVE:-}" ]; then \
        for a in "$ARCHIVE bookworm" ${SECURITY_ARCHIVE:+"$SECURITY_ARCHIVE bookworm-security"}; do \
            printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nCheck-Valid-Until: no\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n' "${a% *}" "${a#* }"; \
        done >/etc/apt/sources.list.d/debian.sources; \
        rm -f /etc/apt/sources.list; \
    fi; \
    apt-get update; \
# apt downloads neither these, which it believes to be installed, nor what only they need.
    for p in \
# Chrome's package depends on tools of X11 and desktops, which start nothing headless,
# and they on Mesa with LLVM and ICU: 250 MB.
        x11-utils xdg-utils \
# These configure packages and boot machines; certificates are put together without openssl.
        debconf lsb-base openssl original-awk sysvinit-utils \
    ; do \
        printf 'Package: %s\nStatus: install ok installed\nVersion: 999\nArchitecture: all\nMulti-Arch: foreign\nMaintainer: none\nDescription: not in the image\n\n' "$p"; \
    done >/tmp/status; \
    apt-get -o Dir::State::status=/tmp/status install -y --no-install-recommends --download-only \
        base-files ca-certificates chromium-headless-shell fontconfig libc-bin tini tzdata \
# The shell and the tools of the health check, and of people who look around.
        busybox \
# Fonts are pinned whatever the day: another edition of a font is another size of
# every block of text. Liberation has the metrics of Arial, Times and Courier, Noto
# all other scripts.
        fonts-liberation=1:1.07.4-11 \
        fonts-noto-cjk=1:20220127+repack1-1 \
        fonts-noto-color-emoji=2.042-0+deb12u1 \
        fonts-noto-core=20201225-1

# The paths are not unpacked.
RUN set -eu; \
    printf './%s\n' \
# Documentation and translated messages. Licences are unpacked separately.
        'usr/share/doc' 'usr/share/man' 'usr/share/info' 'usr/share/locale' 'usr/share/lintian' 'usr/share/bug' 'usr/share/icons' \
# Headless shell has its own resources, and plat has Chrome report no crashes. WebGL is
# drawn by SwiftShader, without the tools of Vulkan's developers.
        'usr/lib/chromium/resources.pak' 'usr/lib/chromium/chrome_*' \
        'usr/lib/chromium/libVkLayer_*' 'usr/lib/chromium/libVkICD_*' 'usr/lib/chromium/*.TOC' \
# Serif CJK has 54 MB, and Chrome falls back to Sans CJK in text with serifs too. Noto's
# Display cuts are for headlines; no script needs them.
        '*/NotoSerifCJK-*' '*/NotoSansDisplay-*' '*/NotoSerifDisplay-*' \
# The next two of Noto in size, 9 MB, are for scripts in which no web pages are written: Sutton's of signs, and Tangut.
        '*/NotoSansSignWriting-*' '*/NotoSerifTangut-*' \
# Chrome and Go convert encodings by themselves. Tables of keyboards and of their
# composed letters belong to a display. No time zone in use counts leap seconds.
        'usr/lib/*/gconv' 'usr/share/X11' 'usr/share/zoneinfo/right' \
        'usr/bin/tini-static' \
# Libraries that come with others, and that no program of the image links or loads; the list of libraries is written below,
# once.
        '*/libmvec.so*' '*/libbrotlienc.so*' '*/libssl3.so' '*/libsmime3.so' '*/libnssdbm3.so' '*/libexpatw.so*' '*/libnsl.so*' \
        'sbin/ldconfig' \
    >/tmp/excluded; \
    root=/out; \
    for d in bin lib lib64 sbin; do mkdir -p "$root/usr/$d"; ln -s "usr/$d" "$root/$d"; done; \
    mkdir -p "$root/var/lib/dpkg"; \
    for deb in /var/cache/apt/archives/*.deb; do \
        dpkg-deb --fsys-tarfile "$deb" >/tmp/files; \
        tar -x -C "$root" --keep-directory-symlink --exclude-from=/tmp/excluded -f /tmp/files; \
        tar -x -C "$root" --wildcards './usr/share/doc/*/copyright' -f /tmp/files 2>/dev/null || true; \
# Scanners for vulnerable packages read this file.
        dpkg-deb -f "$deb" | sed '1a Status: install ok installed'; \
        echo; \
    done >"$root/var/lib/dpkg/status"; \
# The packages' scripts would configure a whole Debian. This is their part in an image.
    ldconfig -r "$root"; \
    chroot "$root" /bin/busybox --install -s; \
    sed -s '$a\' "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"; \
    for f in 10-hinting-slight 70-no-bitmaps; do \
        ln -sf "/usr/share/fontconfig/conf.avail/$f.conf" "$root/etc/fonts/conf.d/$f.conf"; \
    done; \
    chroot "$root" fc-cache -f; \
    cp /etc/nsswitch.conf "$root/etc/"; \
    printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'plat:x:10001:10001::/tmp:/bin/sh' >"$root/etc/passwd"; \
    printf '%s\n' 'root:x:0:' 'plat:x:10001:' >"$root/etc/group"; \
    install -d -o 10001 -g 10001 "$root/data"; \
    find "$root" -xdev -type f -perm /6000 -exec chmod a-s {} + # nothing here gains rights

FROM scratch
COPY --from=root /out /
COPY --from=build /out/plat /usr/local/bin/plat
COPY deploy/seccomp.json /usr/share/plat/seccomp.json

LABEL org.opencontainers.image.title="plat" \
      org.opencontainers.image.description="A crawler that archives the blocks of web pages, version by version"

USER 10001:10001
WORKDIR /data
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 TZ=UTC
EXPOSE 9090
# A command that serves nothing, as plat archive, has no health but its exit code.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD [ -z "${PLAT_LISTEN:-}" ] || plat health
# Chrome leaves children behind when it is killed; somebody has to reap them.
ENTRYPOINT ["tini", "--", "plat"]
CMD ["--help"]
