// Package concurrency limits how many pages are rendered at once.
//
// A [Semaphore] counts its holders, and can change its size while in use. [Scale] computes that
// size from the machine's [Load], based on [CPUTimes]: as many as keep the machine busy, and no
// more than fit into its memory.
package concurrency
