package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// startTracing sends traces where OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_…)
// says, over HTTP, if it says anything; OpenTelemetry's other variables hold too.
// The function it returns sends what is left.
func (a *app) startTracing(ctx context.Context) (func(), error) {
	if a.Env.Get("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && a.Env.Get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return func() {}, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fail(exitConfig, "OpenTelemetry: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "plat"), attribute.String("service.version", buildOf().Version)),
		resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, fail(exitConfig, "OpenTelemetry: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
	otel.SetTracerProvider(provider)
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		provider.Shutdown(ctx)
	}, nil
}
