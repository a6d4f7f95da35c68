// Package concurrency decides how many pages are rendered at once, and lets them in.
//
// A [Semaphore] counts those that are in, and can change its size while it is used. [Scale]
// says what size that should be, from the [Load] of the machine, which [CPUTimes] tells: as
// many as keep it busy, and no more than it has memory for.
package concurrency
