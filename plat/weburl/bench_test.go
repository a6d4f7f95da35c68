package weburl

import (
	"net/url"
	"testing"
)

// links are references of the kinds that pages have, with the share of the kinds on news pages.
var links = []struct{ name, ref string }{
	{"relative", "../story/2024/05/some-long-title.html?id=123&x=y"},
	{"root", "/story/2024/05/some-long-title.html"},
	{"absolute", "https://www.example.org/story/2024/05/some-long-title.html?id=123&x=y"},
	{"fragment", "#comments"},
	{"script", "javascript:void(0)"},
	{"chinese", "/搜索?q=新闻"},
	{"space", "/files/annual report.pdf"},
}

var sink string

func BenchmarkResolve(b *testing.B) {
	base := NewBase("https://news.example.org/a/b/c.html")
	for _, l := range links {
		b.Run(l.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = base.Resolve(l.ref)
			}
		})
	}
}

// BenchmarkNetURL measures package net/url, which resolved these references before.
func BenchmarkNetURL(b *testing.B) {
	base, err := url.Parse("https://news.example.org/a/b/c.html")
	if err != nil {
		b.Fatal(err)
	}
	for _, l := range links {
		b.Run(l.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				to, err := base.Parse(l.ref)
				if err != nil {
					b.Fatal(err)
				}
				sink = to.String()
			}
		})
	}
}

func BenchmarkNewBase(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sink = NewBase("https://news.example.org/a/b/c.html?x=1").String()
	}
}
