package tab

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrCrashed is the end of a page whose process died.
var ErrCrashed = errors.New("the tab has crashed")

// ErrSelfClosed is the end of a page that has closed its own tab.
var ErrSelfClosed = errors.New("the page has closed itself")

// ErrLooping is the end of a page that navigates itself without end.
var ErrLooping = errors.New("the page navigates itself without end")

// ErrClosing is the cause of cancellation when the browser pool is closed.
var ErrClosing = errors.New("the browser pool is closed")

// WithLimit returns a context that ends after limit, with a timeout error that names the step.
func WithLimit(ctx context.Context, limit time.Duration, step string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &limitError{step, limit})
}

// limitError is the end of a step at its time limit.
type limitError struct {
	step  string
	limit time.Duration
}

func (e *limitError) Error() string { return fmt.Sprintf("%s takes longer than %v", e.step, e.limit) }
func (e *limitError) Timeout() bool { return true }
