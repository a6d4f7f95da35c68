package storage

import "fmt"

// maxBroken limits the errors that a report lists.
const maxBroken = 1000

// Checker collects the findings of Verify and reports progress.
type Checker struct {
	Report
	progress    func(done, total int64)
	done, total int64
}

// NewChecker returns a checker that reports to progress, if not nil.
func NewChecker(progress func(done, total int64)) *Checker { return &Checker{progress: progress} }

// Broke adds an error: the damage, and its consequence for users.
func (c *Checker) Broke(format string, args ...any) {
	c.BrokenTotal++
	if len(c.Broken) < maxBroken {
		c.Broken = append(c.Broken, fmt.Sprintf(format, args...))
	}
}

// Expect adds n to the expected number of steps.
func (c *Checker) Expect(n int64) { c.total += n }

// Step adds n completed steps. Concurrent writes can raise the total beyond the
// expected number.
func (c *Checker) Step(n int64) {
	c.done += n
	c.total = max(c.total, c.done)
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
}

// End marks all steps as completed.
func (c *Checker) End() { c.Step(c.total - c.done) }
