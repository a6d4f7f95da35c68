package storage

import "fmt"

// maxBroken is how many sentences a report holds.
const maxBroken = 1000

// Checker gathers what Verify finds, and says how far it is.
type Checker struct {
	Report
	progress    func(done, total int64)
	done, total int64
}

// NewChecker returns a checker that reports to progress, if that is not nil.
func NewChecker(progress func(done, total int64)) *Checker { return &Checker{progress: progress} }

// Broke notes a sentence on what is broken, and what that means for people.
func (c *Checker) Broke(format string, args ...any) {
	c.BrokenTotal++
	if len(c.Broken) < maxBroken {
		c.Broken = append(c.Broken, fmt.Sprintf(format, args...))
	}
}

// Expect says how many steps more there will be.
func (c *Checker) Expect(n int64) { c.total += n }

// Step says that n more are done; of what is stored meanwhile there may be more than was
// expected.
func (c *Checker) Step(n int64) {
	c.done += n
	c.total = max(c.total, c.done)
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
}

// End says that all is done.
func (c *Checker) End() { c.Step(c.total - c.done) }
