package weburl

import (
	"path"
	"strings"
)

// fileNames are extensions of files that are no pages.
var fileNames = map[string]bool{
	".csv": true, ".tsv": true, ".yaml": true, ".yml": true, ".toml": true, ".ics": true, ".vcf": true,
	".pdf": true, ".doc": true, ".docx": true, ".xls": true, ".xlsx": true, ".ppt": true, ".pptx": true, ".odt": true, ".ods": true, ".odp": true,
	".rtf": true, ".epub": true, ".zip": true, ".gz": true, ".tgz": true, ".bz2": true, ".xz": true, ".7z": true, ".rar": true, ".tar": true,
	".jpg": true, ".jpeg": true, ".png": true, ".gif": true, ".webp": true, ".avif": true, ".svg": true, ".ico": true, ".bmp": true,
	".mp3": true, ".ogg": true, ".oga": true, ".wav": true, ".flac": true, ".m4a": true, ".mp4": true, ".webm": true, ".ogv": true, ".mov": true,
	".exe": true, ".msi": true, ".dmg": true, ".deb": true, ".rpm": true, ".apk": true, ".iso": true,
}

// NamesFile reports whether the last name of a URL, or of its path, has the extension of a file that is
// no page: a document, table, archive, picture, sound, film or program. What is there may be a page all the same.
func NamesFile(url string) bool {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if i := strings.Index(url, "://"); i >= 0 {
		if url = url[i+len("://"):]; !strings.Contains(url, "/") {
			return false // the host alone: "https://example.zip"
		}
	}
	return fileNames[strings.ToLower(path.Ext(url))]
}
