package markup_test

import (
	"testing"

	"plat/fixtures"
	"plat/segment/markup"
)

func BenchmarkSerialize(b *testing.B) {
	s := fixtures.Snapshot(b, "calcite-news")
	b.SetBytes(int64(len(markup.Serialize(s))))
	b.ReportAllocs()
	for b.Loop() {
		markup.Serialize(s)
	}
}
