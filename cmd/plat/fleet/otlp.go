package fleet

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// otlp sends traces in OTLP over HTTP (OpenTelemetry protocol 1.x, "OTLP/HTTP", binary protobuf). The exporter
// of OpenTelemetry's own package does the same, and has gRPC with it: 8 MB of a binary that never uses it.
type otlp struct {
	client   http.Client
	endpoint string
	header   http.Header
	timeout  time.Duration // of an export with its retries
	gzip     bool
}

// mostAnswer is the number of bytes that are read of an answer.
const mostAnswer = 64 << 10

// newOTLP returns a client with the settings of the environment that the OpenTelemetry specification lists for
// exporters ("OpenTelemetry Protocol Exporter"): ENDPOINT, HEADERS, TIMEOUT, COMPRESSION, CERTIFICATE,
// CLIENT_CERTIFICATE and CLIENT_KEY, for traces alone or for all signals.
func newOTLP(getenv func(string) string) (*otlp, error) {
	setting := func(name string) string {
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	o := &otlp{endpoint: getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), header: http.Header{}, timeout: 10 * time.Second}
	if o.endpoint == "" {
		o.endpoint = strings.TrimSuffix(getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "/") + "/v1/traces"
	}
	if u, err := url.Parse(o.endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT: write http://HOST:PORT or https://HOST:PORT")
	}
	for field := range strings.SplitSeq(setting("HEADERS"), ",") {
		name, value, ok := strings.Cut(field, "=")
		if name = strings.TrimSpace(name); name == "" && !ok {
			continue
		}
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil || !ok || name == "" {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS: write name=value,name=value")
		}
		o.header.Add(name, value)
	}
	if s := setting("TIMEOUT"); s != "" {
		ms, err := strconv.Atoi(s)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT %q: write a number of milliseconds", s)
		}
		o.timeout = time.Duration(ms) * time.Millisecond
	}
	switch s := setting("COMPRESSION"); s {
	case "", "none":
	case "gzip":
		o.gzip = true
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION %q: write gzip or none", s)
	}
	if s := setting("PROTOCOL"); s != "" && s != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL %q: plat sends http/protobuf", s)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{}
	if name := setting("CERTIFICATE"); name != "" {
		pem, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in PEM", name)
		}
	}
	if cert, key := setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY"); cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	o.client.Transport = transport
	return o, nil
}

// Start does nothing: connections are opened by requests.
func (o *otlp) Start(context.Context) error { return nil }

// Stop closes idle connections.
func (o *otlp) Stop(context.Context) error {
	o.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans. While the collector asks for a retry, it is retried until the timeout.
func (o *otlp) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// The message has the fields of ExportTraceServiceRequest, whose package imports gRPC.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if o.gzip {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(body)
		z.Close()
		body = b.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		again, err := o.post(ctx, body)
		if again < 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(again, pause)):
		}
	}
}

// post sends a body once. again is the time after which a failed request may be retried; negative if it may not.
func (o *otlp) post(ctx context.Context, body []byte) (again time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, o.endpoint, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	r.Header = o.header.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	if o.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	a, err := o.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer a.Body.Close()
	io.Copy(io.Discard, io.LimitReader(a.Body, mostAnswer)) // so that the connection is used again
	switch a.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
		return time.Duration(max(0, seconds)) * time.Second, fmt.Errorf("the collector answers with status %d", a.StatusCode)
	}
	if a.StatusCode/100 != 2 {
		return -1, fmt.Errorf("the collector answers with status %d", a.StatusCode)
	}
	return -1, nil
}
