package main

import (
	"compress/gzip"
	"net/http"
	"strings"
)

// bomb sends two gigabytes compressed to a few megabytes.
func bomb(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	chunk := []byte(strings.Repeat("a ", 1<<19))
	for range 2000 {
		if _, err := z.Write(chunk); err != nil {
			return
		}
	}
	z.Close()
}
