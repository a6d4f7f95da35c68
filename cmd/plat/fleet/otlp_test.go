package fleet

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestTracesReachTheCollector(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"all signals": {"OTEL_EXPORTER_OTLP_HEADERS": "key=a%20b"},
		"gzip":        {"OTEL_EXPORTER_OTLP_HEADERS": "key=wrong", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": " key = a b ", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			var asked atomic.Int64
			collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					w.WriteHeader(http.StatusServiceUnavailable) // it is sent again
					return
				}
				var body io.Reader = r.Body
				if r.Header.Get("Content-Encoding") == "gzip" {
					body, _ = gzip.NewReader(r.Body)
				}
				b, _ := io.ReadAll(body)
				var data tracepb.TracesData
				if err := proto.Unmarshal(b, &data); err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("key") != "a b" || r.Header.Get("Content-Type") != "application/x-protobuf" {
					t.Errorf("%s with %v: %v", r.URL, r.Header, err)
				}
				for _, rs := range data.ResourceSpans {
					for _, a := range rs.Resource.Attributes {
						if a.Key == "service.name" {
							names = append(names, a.Value.GetStringValue())
						}
					}
					for _, ss := range rs.ScopeSpans {
						for _, s := range ss.Spans {
							names = append(names, s.Name)
						}
					}
				}
			}))
			defer collector.Close()
			env["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.URL + "/"
			end, err := startTracing(t.Context(), func(name string) string { return env[name] }, "1")
			if err != nil {
				t.Fatal(err)
			}
			_, s := otel.Tracer("test").Start(context.Background(), "job")
			s.End()
			end()
			if len(names) != 2 || names[0] != "plat" || names[1] != "job" || asked.Load() != 2 {
				t.Errorf("%v after %d requests", names, asked.Load())
			}
		})
	}
}

func TestWrongSettingsOfTracesAreErrors(t *testing.T) {
	for _, env := range []map[string]string{
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "grpc://collector:4317"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "key"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "key=%zz"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT": "1s"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "0"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/nowhere"},
	} {
		if _, err := startTracing(t.Context(), func(name string) string { return env[name] }, "1"); err == nil {
			t.Errorf("%v is no error", env)
		}
	}
}

// A client sends spans once to a collector that refuses them. It sends them again to a busy collector, until the
// timeout.
func TestRetriesEnd(t *testing.T) {
	for status, want := range map[int]bool{http.StatusBadRequest: false, http.StatusTooManyRequests: true} {
		asked := 0
		collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++; w.WriteHeader(status) }))
		o, err := newOTLP(func(name string) string {
			return map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": collector.URL, "OTEL_EXPORTER_OTLP_TIMEOUT": "400"}[name]
		})
		if err != nil {
			t.Fatal(err)
		}
		err = o.UploadTraces(t.Context(), []*tracepb.ResourceSpans{{}})
		collector.Close()
		if again := asked > 1; err == nil || again != want {
			t.Errorf("status %d: %d requests, %v", status, asked, err)
		}
	}
}
