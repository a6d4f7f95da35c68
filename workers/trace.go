package workers

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"plat/queue"
)

// tracer creates spans if the embedding program has configured OpenTelemetry;
// otherwise it is a no-op.
func tracer() trace.Tracer { return otel.Tracer("plat/workers") }

// span traces one part of a job.
func span(ctx context.Context, name string, do func(context.Context) error) error {
	ctx, s := tracer().Start(ctx, name)
	defer s.End()
	err := do(ctx)
	if err != nil {
		s.SetStatus(codes.Error, err.Error())
	}
	return err
}

// jobSpan traces a whole job; call end with its result.
func jobSpan(ctx context.Context, l *queue.Lease, depth int) (_ context.Context, end func(*Report, error)) {
	ctx, s := tracer().Start(ctx, "job", trace.WithAttributes(
		attribute.String("url.full", l.URL), attribute.String("server.address", l.Host),
		attribute.Int("plat.attempt", l.Attempt), attribute.Int("plat.depth", depth)))
	return ctx, func(r *Report, err error) {
		s.SetAttributes(attribute.String("plat.outcome", string(r.Outcome)), attribute.Int("plat.version", r.Version),
			attribute.Bool("plat.stored", r.Stored), attribute.Bool("plat.skipped", r.Skipped), attribute.Int64("plat.stored_bytes", r.StoredBytes), attribute.Int("plat.links", r.Links))
		if err != nil {
			s.SetStatus(codes.Error, err.Error())
		}
		s.End()
	}
}
