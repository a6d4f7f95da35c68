#!/usr/bin/env bash
# Fetches the pages on which scripts/visible measures, and lists them in pages.txt:
# package <tab> path below the folder. Nothing is installed.
#
#	scripts/visible/corpus.sh [FOLDER]     default /tmp/plat-visible; some minutes, 3 GB
#	PAGES=30 scripts/visible/corpus.sh     30 pages of every Debian package
#
# It needs Debian 12 with apt, and npm. Existing files are not fetched again.
# The list is the same for the same versions, which are in versions.txt.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "${1:-/tmp/plat-visible}"
cd "${1:-/tmp/plat-visible}"
root=$PWD
mkdir -p debs npm deb
: >pages.new
: >versions.txt

# choose reads lines "size path" sorted by path, and prints the largest path and every
# n-th of the rest, $1 at most in all. Larger pages than 3 MB are left out: one of
# them takes as long as the rest, and all.html represents them.
choose() {
	awk -v want="$1" 'BEGIN { n = 0 }
		$1 <= 3000000 { path[n] = $2; if ($1 > most) { most = $1; top = n }; n++ }
		END {
			if (!n || want < 1) exit
			take[top] = 1; left = want - 1
			for (i = 0; i < left; i++) take[int((i + .5) * n / left)] = 1
			for (i = 0; i < n; i++) if (take[i]) print path[i]
		}'
}

fetch_deb() { # package pages
	local name=$1 pages=$2 file
	file=$(find debs -name "${name}_*.deb" | sort | tail -1)
	if [ -z "$file" ]; then
		(cd debs && apt-get download -q "$name" >/dev/null 2>&1) || { echo "corpus.sh: apt has no $name; skipped" >&2; return 0; }
		file=$(find debs -name "${name}_*.deb" | sort | tail -1)
	fi
	if ! grep -qxF "$file" unpacked.txt 2>/dev/null; then
		nice -n 10 dpkg -x "$file" deb
		echo "$file" >>unpacked.txt
	fi
	printf '%s\t%s\n' "$name" "$(dpkg-deb -f "$file" Version)" >>versions.txt
	[ "$pages" = 0 ] && return 0
	# Plain files only: a link would list the same page twice.
	dpkg-deb -c "$file" | awk '$1 ~ /^-/ && $6 ~ /\.html(\.en)?$/ { print $3, $6 }' | sort -k 2 |
		choose "${PAGES:-$pages}" | sed "s|^\./|$name\tdeb/|" >>pages.new
	if [ "$name" = nodejs-doc ]; then
		# 420,000 words on one page: what is slow or limited shows here.
		printf 'nodejs-all\tdeb/usr/share/doc/nodejs/api/all.html\n' >>pages.new
	fi
}

unpack_npm() { # name@version folder
	local tgz
	tgz=$(cd debs && npm pack --silent "$1" 2>/dev/null | tail -1)
	[ -n "$tgz" ] || { echo "corpus.sh: npm has no $1; skipped" >&2; return 1; }
	mkdir -p "$2"
	tar xzf "debs/$tgz" -C "$2" --strip-components=1 --no-same-owner
	rm "debs/$tgz"
}

fetch_npm() { # name@version pages folder
	local spec=$1 pages=$2 dir
	dir=npm/$(tr '/@' '__' <<<"$spec")
	if [ ! -d "$dir" ]; then
		unpack_npm "$spec" "$dir" || return 0
		# What the pages take from the packages that theirs depends on; a page without
		# its style sheets is not the one that was meant.
		{ grep -rhoE --include='*.html' 'node_modules/(@[^/"]+/)?[^/"]+' "$dir" || true; } | sort -u | while read -r path; do
			range=$(jq -r --arg name "${path#node_modules/}" '.dependencies[$name] // empty' "$dir/package.json")
			case $range in
			'' | *:*) ;; # not named, or not of the registry
			*) unpack_npm "${path#node_modules/}@$range" "$dir/$path" || true ;;
			esac
		done
	fi
	printf '%s\n' "${spec%@*}	${spec##*@}" >>versions.txt
	(cd "$dir" && find "$3" -type f -name '*.html' -not -path '*/node_modules/*' -printf '%s %P\n' | sort -k 2) |
		choose "$pages" | sed "s|^|${spec%@*}\t$dir/$3/|; s|/\./|/|" >>pages.new
}

while read -r kind name pages folder _; do
	case $kind in
	deb) fetch_deb "$name" "$pages" ;;
	npm) fetch_npm "$name" "$pages" "$folder" ;;
	esac
done <"$here/corpus.txt"

# Packages link to each other's files by absolute paths, which lead out of the folder.
# Redirect them to the unpacked file, or remove them if it is missing.
find deb -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link to; do
	if [ -e "deb$to" ]; then ln -srfn "deb$to" "$link"; else rm -f "$link"; fi
done

mv pages.new pages.txt
echo "$(wc -l <pages.txt) pages of $(cut -f 1 pages.txt | sort -u | wc -l) packages in $root/pages.txt"
